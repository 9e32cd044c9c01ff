/** What one side of a call says, while it is spoken and afterwards. */
export interface SpokenTurn {
  turn: number;
  role: SpeakerRole;
  text: string;
  /** The words do not change any more. */
  final: boolean;
}

export type SpeakerRole = 'user' | 'agent' | 'supervisor';

/** The API names the user `callee` or `caller`, depending on the direction of the call. */
export const speakerOf = (role: string): SpeakerRole => (role === 'agent' || role === 'supervisor' ? role : 'user');

/** The turns with the newest words of one of them. Final words are not replaced by earlier ones that arrive late. */
export function withWords(turns: readonly SpokenTurn[], next: SpokenTurn): readonly SpokenTurn[] {
  const index = turns.findIndex(({ turn, role }) => turn === next.turn && role === next.role);
  if (index < 0) return next.text === '' ? turns : [...turns, next];
  if (turns[index]?.final === true && !next.final) return turns;
  return turns.with(index, next);
}
