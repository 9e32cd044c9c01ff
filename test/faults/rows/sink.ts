import { FaultEnvironment } from '../fault-environment.js';
import type { Findings, Row } from '../row.js';

/** Cuts the connection of every tenth webhook at its first attempt, in the middle of the response. */
const cut = (): Promise<Findings> =>
  FaultEnvironment.with({}, async (environment) => {
    environment.sink.answer = ({ id, tries }) =>
      tries === 1 && Number.parseInt(id.slice(-4), 16) % 10 === 0 ? 'cut' : 200;
    environment.begin();
    await environment.sink.more(1_500);
    const cuts = environment.sink.arrivals.filter(({ accepted }) => !accepted).length;
    return environment.findings(cuts > 50 ? [] : [`only ${cuts} answers were cut`], `${cuts} answers cut`);
  });

export const SINK: Row[] = [
  {
    name: 'sink-cut',
    fault: 'the connection to the receiver breaks in the middle of 10 % of the responses',
    times: 1,
    bar: () => ({ duplicates: 0 }),
    run: cut,
  },
];
