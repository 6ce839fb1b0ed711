import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Nest injects by the types that decorators record.
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    reporters: ['default', './test/support/plain-reporter.ts'],
    setupFiles: ['reflect-metadata'],
    // One group after another: what measures time must not share the machine with what loads it.
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.spec.ts'],
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/{conformance,e2e,faults}/**/*.spec.ts'],
          fileParallelism: false,
          testTimeout: 30_000,
          hookTimeout: 30_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // Looks at the built package from outside, so `npm run build` must have run before. Ahead of the integration
        // tests: those start the sample by its command, which builds the library into the same folder in its own way.
        extends: true,
        test: {
          name: 'package',
          include: ['test/package/**/*.spec.ts'],
          exclude: ['test/package/consumers/**'],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
