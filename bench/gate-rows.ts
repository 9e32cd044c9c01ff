/** What the gate measures, the peer of each row, and the median ratio to it that was last recorded. */
export const GATE_ROWS = {
  one: { name: 'GET one', peer: 'node:http + pg', unit: '/s', isCost: false, recorded: 1.1 },
  slice: { name: 'GET list, without total', peer: 'node:http + pg', unit: '/s', isCost: false, recorded: 0.9 },
  create: { name: 'POST create', peer: 'node:http + pg', unit: '/s', isCost: false, recorded: 1.2 },
  setup: { name: 'call set-up, CPU of the dialer', peer: 'SIPp', unit: 'ms/call', isCost: true, recorded: 0.0029 },
  calls: {
    name: '100 agent calls, CPU',
    peer: 'echo, setInterval(20)',
    unit: '% of a core',
    isCost: true,
    recorded: 0.3,
  },
  webhooks: { name: 'dispatcher', peer: 'undici, 16 in flight', unit: '/s', isCost: false, recorded: 0.3 },
  start: { name: 'start of api, worker, dialer, CPU', peer: 'tutorial api', unit: 'ms', isCost: true, recorded: 0.158 },
  memory: { name: 'idle api, worker, dialer', peer: 'tutorial api', unit: 'MB', isCost: true, recorded: 0.258 },
} as const satisfies Record<string, GateRow>;

interface GateRow {
  name: string;
  peer: string;
  unit: string;
  /** A cost: the ratio is that of the peer to Trunkline, so that more is always better. */
  isCost: boolean;
  recorded: number;
}

export type GateRowId = keyof typeof GATE_ROWS;

/** The share of the recorded median that a run must reach. */
const FLOOR = 0.9;

export const floorOf = (id: GateRowId): number => GATE_ROWS[id].recorded * FLOOR;
