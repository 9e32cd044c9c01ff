import type { ComponentProps, VNode } from 'preact';
import { ask, isAbort } from '../api/client.js';
import { apiPath } from '../api/path.js';

/** Numbers in E.164, SIP URIs, extensions and prefixes stay what they are. */
const AS_IS = /^(?:\+\d+|sips?:.*|\d{0,7}|.*\*)$/i;

/** A number as people write it in E.164: `030 123456` is one of the account's default country. All other texts stay as they are. */
export async function e164Of(text: string): Promise<string> {
  const number = text.trim();
  if (AS_IS.test(number)) return number;
  try {
    const { data } = await ask<{ data: { number: string | null } }>('GET', apiPath`phone-numbers/parse`, {
      query: { number },
    });
    return data.number ?? number;
  } catch (error) {
    if (isAbort(error)) throw error;
    // The request with the number says what is wrong with it.
    return number;
  }
}

/** Inputs whose text is being read. */
const reading = new Set<Promise<void>>();

/** Resolves when the inputs show their numbers in E.164: a form is often sent by the key that ends an input. */
export const numbersRead = (): Promise<unknown> => Promise.all(reading);

async function showE164(input: HTMLInputElement): Promise<void> {
  const { value } = input;
  const number = await e164Of(value);
  if (input.value !== value || number === value) return;
  input.value = number;
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

/** An input for a phone number, which shows it in E.164 when it has been entered. */
export const NumberInput = (parts: ComponentProps<'input'>): VNode => (
  <input
    inputMode="tel"
    autocomplete="off"
    spellcheck={false}
    {...parts}
    onChange={({ currentTarget }) => {
      const read = showE164(currentTarget).finally(() => reading.delete(read));
      reading.add(read);
    }}
  />
);
