import { Logger } from '@nestjs/common';
import { onTestFinished, vi } from 'vitest';

/** What Nest and the library log until the test has ended, as `level text`. */
export function nestLog(): readonly string[] {
  const lines: string[] = [];
  for (const level of ['debug', 'warn', 'error'] as const) {
    const spy = vi.spyOn(Logger.prototype, level).mockImplementation((message) => {
      lines.push(`${level} ${String(message)}`);
    });
    onTestFinished(() => spy.mockRestore());
  }
  return lines;
}
