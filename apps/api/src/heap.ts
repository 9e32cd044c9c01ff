import { setFlagsFromString } from 'node:v8';

/*
 * What mostly survived while the process warmed up V8 later places among the old at once, rows of the database and their dates above
 * all. There the garbage of requests waits for a full collection: lists took 15 % more CPU, and the heap grew to 300 MB. And on a machine
 * with much memory V8 lets the heap grow fourfold between two full collections, which take 13 ms, most of it beside us.
 */
setFlagsFromString('--no-allocation-site-pretenuring');
setFlagsFromString('--heap-growing-percent=50');
