const HAND_OVER = 'hand_over_to_';
/** The longest name of a function that all vendors accept. */
const MAX_NAME = 64;

/** The function that hands a call over to the agent of this name. */
export const handOverName = (name: string): string => (HAND_OVER + (slugOf(name) || 'agent')).slice(0, MAX_NAME);

const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
