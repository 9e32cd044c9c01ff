/** What a session says by itself, whatever the provider. */
export interface Phrases {
  idle: string;
  goodbye: string;
  moment: string;
  apology: string;
}

export const DEFAULT_PHRASES: Phrases = {
  idle: 'Are you still there?',
  goodbye: 'I cannot hear you, so I will hang up now. Goodbye.',
  moment: 'One moment, please.',
  apology: 'I am sorry, we have a technical problem. Please try again later. Goodbye.',
};
