import type { ConversationItem } from 'openai/resources/realtime/realtime';
import { Refused } from './protocol.js';

/** Longer conversations lose their beginning, as with a model. */
const MOST_ITEMS = 1_000;

/** One item of the conversation. `audioMs`: length of the agent's speech so far. */
export interface HeldItem {
  item: ConversationItem & { id: string };
  audioMs?: number;
}

export class ConversationItems {
  private readonly held: HeldItem[] = [];

  get lastId(): string | null {
    return this.held.at(-1)?.item.id ?? null;
  }

  has(id: string): boolean {
    return this.held.some(({ item }) => item.id === id);
  }

  /**
   * `after`: the item it comes behind; `root` is the beginning, undefined the end. Returns the id of the one before it.
   * @throws Refused
   */
  add(held: HeldItem, after?: string | null): string | null {
    if (this.has(held.item.id)) {
      throw new Refused('item_create_duplicate_item_id', 'There is already an item with this id.', 'item.id');
    }
    const at = this.placeAfter(after);
    this.held.splice(at, 0, held);
    if (this.held.length > MOST_ITEMS) this.held.shift();
    const own = this.held.indexOf(held);
    return this.held[own - 1]?.item.id ?? null;
  }

  /** @throws Refused with `<action>_invalid_item_id`. */
  get(id: string, action: string): HeldItem {
    const held = this.held.find(({ item }) => item.id === id);
    if (!held) throw new Refused(`${action}_invalid_item_id`, 'There is no item with this id.', 'item_id');
    return held;
  }

  /** @throws Refused */
  delete(id: string): void {
    this.held.splice(this.held.indexOf(this.get(id, 'item_delete')), 1);
  }

  /** The words behind `audioEndMs` were not heard. Their place in the text is unknown, so the whole text is dropped. */
  truncate(id: string, contentIndex: number, audioEndMs: number): void {
    const held = this.get(id, 'item_truncate');
    const { item, audioMs = 0 } = held;
    if (item.type !== 'message' || item.role !== 'assistant') {
      throw new Refused('invalid_value', 'Only messages of the assistant can be truncated.', 'item_id');
    }
    const part = item.content[contentIndex];
    if (part?.type !== 'output_audio') {
      throw new Refused('invalid_value', 'There is no audio content with this index.', 'content_index');
    }
    if (audioEndMs > audioMs) {
      const message = `Audio content of ${audioMs}ms is already shorter than ${audioEndMs}ms.`;
      throw new Refused('invalid_value', message, 'audio_end_ms');
    }
    held.audioMs = audioEndMs;
    delete part.transcript;
  }

  /** The tool call with this id. */
  callNamed(callId: string): ConversationItem | undefined {
    return this.held.find(({ item }) => item.type === 'function_call' && item.call_id === callId)?.item;
  }

  private placeAfter(after: string | null | undefined): number {
    if (after === undefined || after === null) return this.held.length;
    if (after === 'root') return 0;
    const at = this.held.findIndex(({ item }) => item.id === after);
    if (at >= 0) return at + 1;
    throw new Refused('item_create_invalid_previous_item_id', 'There is no item with this id.', 'previous_item_id');
  }
}
