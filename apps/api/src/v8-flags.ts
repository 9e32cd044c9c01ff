import { setFlagsFromString } from 'node:v8';

/*
 * Imported first by the API process: flags apply to code that is loaded afterwards.
 * Pretenuring puts objects that survived during warm-up into the old generation, mostly database rows and their dates. Garbage of
 * requests then waits for a full collection: lists took 15 % more CPU, and the heap grew to 300 MB. On machines with much memory V8 lets
 * the heap grow fourfold between two full collections. A full collection takes 13 ms, most of it concurrent.
 */
setFlagsFromString('--no-allocation-site-pretenuring');
setFlagsFromString('--heap-growing-percent=50');
