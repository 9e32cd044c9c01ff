import { Balancer } from '../test/support/balancer.js';

/** What the process is told: the ports that requests go to from now on. */
export interface BalancerTold {
  ports: number[];
}

/** The balancer in a process of its own: a client beside it would wait for it. */
async function main(): Promise<void> {
  const balancer = await Balancer.start();
  let current: number[] = [];
  process.on('message', ({ ports }: BalancerTold) => {
    for (const port of ports.filter((one) => !current.includes(one))) balancer.add(port);
    for (const port of current.filter((one) => !ports.includes(one))) balancer.remove(port);
    current = ports;
    process.send?.({ ports });
  });
  process.send?.({ port: Number(new URL(balancer.url).port) });
}

// Leaves with its parent.
process.on('disconnect', () => process.exit(0));
await main();
