import { me } from './me.js';

/** The number of the person, in this browser and by account: `trunkline.my-number.7`. */
const keyOf = (accountId: number): string => `trunkline.my-number.${accountId}`;

/** Empty: none is known. */
export function rememberedNumber(): string {
  const id = me.value?.account.id;
  return id === undefined ? '' : (localStorage.getItem(keyOf(id)) ?? '');
}

export function rememberNumber(number: string): void {
  const id = me.value?.account.id;
  if (id !== undefined) localStorage.setItem(keyOf(id), number);
}
