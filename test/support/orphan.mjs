// A process that logs while it exits, into a pipe without a reader.
// `closed`: exits after closing; `stuck`: closing never ends and no event is pending; `thrown`: closing throws.
import { createLog, endOnSignal } from '../../dist/libs/common/src/index.js';

const log = createLog({ level: 'info', role: 'orphan' });
const WAYS = {
  closed: () => Promise.resolve(),
  stuck: () => new Promise(() => undefined),
  thrown: () => {
    throw new Error('not caught by anybody');
  },
};
endOnSignal({
  log,
  limitMs: () => 1_000,
  close: () => {
    // The first line is being written while the second waits for the flush at the exit.
    log.warn('last words');
    log.warn('and some more');
    return WAYS[process.argv[2]]();
  },
});
process.send('ready');
