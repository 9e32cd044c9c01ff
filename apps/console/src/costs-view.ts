import { h } from './dom.js';
import { dollars } from './format.js';
import type { CostLine, WholeCall } from './types.js';

/** The bill of a call, line by line. */
export const costsView = ({ costs, cost, realtime_cost: realtime }: WholeCall): HTMLElement =>
  h(
    'table',
    { class: 'costs' },
    h('caption', { class: 'unseen' }, 'What the call cost'),
    h('tbody', null, costs.map(line)),
    h(
      'tfoot',
      null,
      h(
        'tr',
        null,
        h(
          'th',
          { scope: 'row' },
          'Together',
          h('span', { class: 'muted small' }, `of which AI ${dollars(realtime ?? 0)}`),
        ),
        h('td', null, dollars(cost ?? 0)),
      ),
    ),
  );

const line = ({ description, quantity, unit, unit_price: price, amount }: CostLine): HTMLElement =>
  h(
    'tr',
    null,
    h(
      'th',
      { scope: 'row' },
      description,
      h('span', { class: 'muted small' }, `${counted(quantity, unit)} at ${priceOf(price)}`),
    ),
    h('td', null, dollars(amount)),
  );

const counted = (quantity: number, unit: string): string =>
  `${quantity.toLocaleString('en-US')} ${unit}${quantity === 1 ? '' : 's'}`;

/** A token costs millionths. */
const priceOf = (price: number): string => `$${price.toLocaleString('en-US', { maximumFractionDigits: 6 })}`;
