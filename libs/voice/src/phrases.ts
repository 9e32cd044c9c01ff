/** What a session says by itself, whatever the provider. */
export interface Phrases {
  /** While a tool works. */
  filler: string;
  /** While the provider is being connected again. */
  moment: string;
  idle: string;
  goodbye: string;
  apology: string;
}

export const DEFAULT_PHRASES: Phrases = {
  filler: 'One moment, please.',
  moment: 'One moment, please.',
  idle: 'Are you still there?',
  goodbye: 'I cannot hear you, so I will hang up now. Goodbye.',
  apology: 'I am sorry, we have a technical problem. Please try again later. Goodbye.',
};
