import { Balancer } from '../test/support/balancer.js';

/** The message to the process: the ports that receive requests from now on. */
export interface BalancerTold {
  ports: number[];
}

/** The balancer in a separate process, so that it does not delay the clients. */
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

// Exits with its parent.
process.on('disconnect', () => process.exit(0));
await main();
