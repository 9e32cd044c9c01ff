import type { HistoryTurn } from '../voice-provider.js';

interface Update {
  newHandle?: string;
  resumable?: boolean;
}

/**
 * The handle with which another connection continues the service's session. It is used only when it covers the whole conversation:
 * otherwise the next connection gets the history as text, in which an interrupted answer ends where it was heard.
 */
export class Resumption {
  private handle: string | undefined;
  /** The last words of the model. */
  private words = '';

  updated({ newHandle, resumable }: Update): void {
    this.handle = resumable !== false && newHandle ? newHandle : undefined;
  }

  /** The conversation has continued after the latest handle. */
  outdated(): void {
    this.handle = undefined;
  }

  said(words: string): void {
    this.words = words;
  }

  /** The handle for a conversation with this history; undefined: a new session is needed. A handle is used once. */
  take(history: readonly HistoryTurn[]): string | undefined {
    const { handle } = this;
    this.handle = undefined;
    const last = history.at(-1);
    const isCovered = last?.role === 'agent' && comparable(last.text) === comparable(this.words);
    return isCovered ? handle : undefined;
  }
}

const comparable = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
