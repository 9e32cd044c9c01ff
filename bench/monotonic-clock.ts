/** Milliseconds of the clock that all processes of this machine share. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
