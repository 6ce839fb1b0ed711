import { describe, expect, it } from 'vitest';
import { startChild } from '../support/run-child.js';

const BY_ITSELF = { code: 0, signal: null, stderr: '' };

describe('a process', () => {
  it('17. that held, waited, gave up and shut down exits by itself: no timer or listener is left', async () => {
    expect(await startChild('whole-life.mjs').ended).toEqual({
      ...BY_ITSELF,
      lines: [
        'gave up: AbortError',
        'timed out: LOCK_BUSY',
        'extended: ok',
        'lost: expired',
        'turned away: LOCK_UNAVAILABLE',
        'worked: done',
        'timers: 0',
        'listeners: 0',
        'process listeners: 0',
      ],
    });
  });

  it('17. that never closes its application exits by itself, although something is held and waited for', async () => {
    const lines = ['released: true', 'done'];
    expect(await startChild('never-closed.mjs').ended).toEqual({ ...BY_ITSELF, lines });
  });

  it('17. whose store fails in every way sees no unhandled rejection (peers.md 5)', async () => {
    const { lines, ...end } = await startChild('broken-store.mjs').ended;
    expect(end).toEqual(BY_ITSELF);
    expect(lines.filter((line) => /unhandled|uncaught|warning/.test(line))).toEqual([]);
    for (const how of ['rejecting', 'throwing', 'silent']) {
      expect(lines).toContain(`${how} acquire: LOCK_UNAVAILABLE`);
      expect(lines).toContain(`${how} extend: LOCK_UNAVAILABLE`);
      expect(lines).toContain(`${how} release: true`);
      expect(lines).toContain(`${how} lost: expired false`);
    }
    expect(lines.at(-1)).toBe('closed');
  });

  it('17. that is told to stop finishes what it does, and turns away who waits', async () => {
    const child = startChild('told-to-stop.mjs');
    await child.printed('working');
    child.kill('SIGTERM');
    const { lines, signal, stderr } = await child.ended;
    expect({ signal, stderr }).toEqual({ signal: 'SIGTERM', stderr: '' });
    expect(lines).toEqual(['working', 'told', 'waiter: LOCK_UNAVAILABLE', 'finished']);
  });
});
