/** `--import` for an api that is killed between the commit of a call and the wake-up of the dialers. */
import { Queue } from 'bullmq';

Queue.prototype.add = () => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
};
