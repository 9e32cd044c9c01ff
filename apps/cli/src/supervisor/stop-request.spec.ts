import { afterEach, describe, expect, it } from '@jest/globals';
import { StopRequest } from './stop-request.js';

describe('a request to stop', () => {
  let request: StopRequest;
  let repeats: number;
  const open = () => {
    repeats = 0;
    request = new StopRequest(() => (repeats += 1));
  };
  afterEach(() => request.dispose());

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('has exit code 0 after %s', async (signal) => {
    open();
    process.emit(signal, signal);
    expect(await request.made).toBe(0);
  });

  it('counts a signal that the process group and npm both deliver once', async () => {
    open();
    process.emit('SIGTERM', 'SIGTERM');
    process.emit('SIGTERM', 'SIGTERM');
    expect(await request.made).toBe(0);
    expect(repeats).toBe(0);
  });

  it('keeps exit code 1 of a failed child when a signal follows', async () => {
    open();
    request.fail();
    process.emit('SIGTERM', 'SIGTERM');
    expect(await request.made).toBe(1);
  });

  it('has exit code 0 when the parent process at the other end of the IPC channel is gone', async () => {
    open();
    process.emit('disconnect');
    expect(await request.made).toBe(0);
  });
});
