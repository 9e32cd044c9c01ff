import { rollingRestart } from '../rolling-restart.js';
import type { Row } from '../row.js';

export const ROLLING: Row[] = [
  {
    name: 'rolling-restart',
    fault: '2 apis, 2 workers and 3 dialers are replaced one after the other',
    times: 1,
    bar: () => ({ duplicates: 0, also: 'no request refused, no call dropped, exit code 0' }),
    run: async () => (await rollingRestart()).findings,
  },
];
