/** A variable without which this process cannot run; the message says which and what it looks like. */
export class MissingSetting extends Error {}
