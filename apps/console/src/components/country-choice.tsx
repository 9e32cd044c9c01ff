import type { VNode } from 'preact';
import { COUNTRIES } from '../logic/countries.js';
import { Choice, type ChoiceParts } from './forms.js';

/** A select of countries. `none`: the label of no country; absent: one must be chosen. */
export const CountryChoice = ({ none, ...parts }: Omit<ChoiceParts, 'options'> & { none?: string }): VNode => (
  <Choice {...parts} options={[...(none === undefined ? [] : [['', none] as const]), ...COUNTRIES]} />
);
