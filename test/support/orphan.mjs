// A part of an installation that logs in the very moment in which it leaves: what it logs meets a pipe without a reader.
import { createLog, leaveProcess } from '../../dist/libs/common/src/index.js';

const log = createLog({ level: 'info', role: 'orphan' });
process.once('disconnect', () => {
  // The first line is being written when the second one waits to be flushed at the exit.
  log.warn('last words');
  log.warn('and some more');
  leaveProcess(1);
});
process.send('ready');
