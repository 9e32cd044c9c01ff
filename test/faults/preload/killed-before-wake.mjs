/** `--import` for an api that is killed at the one moment between the commit of a call and the wake-up of who carries it on. */
import { Queue } from 'bullmq';

Queue.prototype.add = () => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
};
