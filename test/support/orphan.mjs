// A part of an installation that logs in the very moment in which it leaves: what it logs meets a pipe without a reader.
// `closed`: it leaves when it has closed; `stuck`: closing never ends, and nothing is left to wait for; `thrown`: closing throws.
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
    // The first line is being written when the second one waits to be flushed at the exit.
    log.warn('last words');
    log.warn('and some more');
    return WAYS[process.argv[2]]();
  },
});
process.send('ready');
