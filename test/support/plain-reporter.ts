import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** Ends a run with one line that a script can read: `N passed, N failed, N skipped`. */
export default class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state]++;
      // A file that does not load, or a hook that throws, fails without a failed test.
      for (const suite of [module, ...module.children.allSuites()]) {
        if (suite.errors().length > 0) count.failed++;
      }
    }
    // Tests that were interrupted before they ended stay pending.
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped + count.pending} skipped`);
  }
}
