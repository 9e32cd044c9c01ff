import { Ground } from '../ground.js';
import type { Findings, Row } from '../row.js';

/** Each tenth webhook is cut off at its first try, in the middle of the answer. */
const cut = (): Promise<Findings> =>
  Ground.with({}, async (ground) => {
    ground.sink.answer = ({ id, tries }) => (tries === 1 && Number.parseInt(id.slice(-4), 16) % 10 === 0 ? 'cut' : 200);
    ground.begin();
    await ground.sink.more(1_500);
    const cuts = ground.sink.arrivals.filter(({ accepted }) => !accepted).length;
    return ground.findings(cuts > 50 ? [] : [`only ${cuts} answers were cut`], `${cuts} answers cut`);
  });

export const SINK: Row[] = [
  {
    name: 'sink-cut',
    fault: 'the network to the receiver breaks in the middle of an answer, 10 % of them',
    times: 1,
    bar: () => ({ duplicates: 0 }),
    run: cut,
  },
];
