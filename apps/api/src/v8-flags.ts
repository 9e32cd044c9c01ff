import { setFlagsFromString } from 'node:v8';

/*
 * Imported first by the API process: flags apply to code that is loaded afterwards.
 * Pretenuring allocates objects that survived during warm-up, mostly database rows and their dates, in the old generation. Garbage of
 * requests then waits for a full collection: lists took 15 % more CPU time, and the heap grew to 300 MB. On machines with much memory, V8
 * allows the heap to grow fourfold between two full collections. A full collection takes 13 ms, most of it concurrent.
 */
setFlagsFromString('--no-allocation-site-pretenuring');
setFlagsFromString('--heap-growing-percent=50');
