import { setFlagsFromString } from 'node:v8';

/*
 * Imported first by the dialer. Pretenuring allocates objects of calls in the old generation, where those of an ended call keep the rest of
 * it for the next collections (docs/decisions/0062-live-sets.md).
 * V8 keeps the limit of the old generation close to its size, and with 200 agent calls collects it once a second; each collection delays
 * packets by 5 to 15 ms. Now it may grow by 85 % in between. 100 % takes 20 KB more per call, and with 75 % more packets are late
 * (docs/performance.md).
 */
setFlagsFromString('--no-allocation-site-pretenuring');
setFlagsFromString('--heap-growing-percent=85');
