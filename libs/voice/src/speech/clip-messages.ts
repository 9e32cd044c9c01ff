/** Over the port between a thread that wants sentences spoken and the one that speaks them. */
export interface ClipRequest {
  id: number;
  sentence: string;
  language: string | undefined;
}

export type ClipAnswer = { id: number; clip: Int16Array } | { id: number; error: string };
