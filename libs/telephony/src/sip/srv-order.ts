export interface SrvRecord {
  name: string;
  port: number;
  /** Lower first. */
  priority: number;
  weight: number;
}

/**
 * RFC 2782: by priority; among equals at random, in proportion to the weights.
 * @param random from 0 to below 1
 */
export function inSrvOrder(records: SrvRecord[], random: () => number = Math.random): SrvRecord[] {
  const groups = new Map<number, SrvRecord[]>();
  for (const one of records) groups.set(one.priority, [...(groups.get(one.priority) ?? []), one]);
  const priorities = [...groups.keys()].toSorted((a, b) => a - b);
  return priorities.flatMap((priority) => drawn(groups.get(priority)!, random));
}

function drawn(group: SrvRecord[], random: () => number): SrvRecord[] {
  // Those of weight 0 go to the front, so that they have a small chance of being drawn first.
  const left = group.toSorted((a, b) => Math.sign(a.weight) - Math.sign(b.weight));
  const order: SrvRecord[] = [];
  while (left.length > 0) order.push(...left.splice(draw(left, random), 1));
  return order;
}

function draw(left: SrvRecord[], random: () => number): number {
  const total = left.reduce((sum, one) => sum + one.weight, 0);
  const point = Math.floor(random() * (total + 1));
  let sum = 0;
  return left.findIndex((one) => (sum += one.weight) >= point);
}
