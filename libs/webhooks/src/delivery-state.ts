/**
 * `pending`: on its way, its stream waits behind it. `slow`: tried for hours, others pass. `delivered`: answered with 2xx. `dead`:
 * given up, or its endpoint is disabled. `refused`: the target is not allowed, nothing was sent.
 */
export const DELIVERY_STATES = ['pending', 'slow', 'delivered', 'dead', 'refused'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
