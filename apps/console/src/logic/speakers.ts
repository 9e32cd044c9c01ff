import type { Call } from '../api/types.js';

/** Name of the other side of the agent. */
export const farName = ({ channel, direction }: Pick<Call, 'channel' | 'direction'>): string =>
  channel === 'web' ? 'User' : direction === 'inbound' ? 'Caller' : 'Callee';

/** Name of the one who speaks. `name`: of a person who took over. */
export const speakerName = (
  { role, name }: { role: 'agent' | 'far' | 'supervisor'; name?: string },
  far: string,
): string => (role === 'agent' ? 'Agent' : role === 'supervisor' ? (name ?? 'Colleague') : far);
