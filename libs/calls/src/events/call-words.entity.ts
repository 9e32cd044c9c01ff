import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CallEntity } from '../call.entity.js';

/** The words of a running turn so far. */
export interface RunningTurn {
  turn: number;
  role: 'agent' | 'callee' | 'caller';
  text: string;
  started_ms: number;
}

/** The running turns of a watched call. The row exists while a stream watches the call, and is deleted with its end. */
@Entity('call_words')
export class CallWordsEntity {
  @ForeignKey(() => CallEntity, { name: 'call_words_call_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  call_id: string;

  /** Streams renew it; without a renewal the dialer writes no more words. */
  @Column('timestamptz')
  watched_until: Date;

  /** Increases with each change of `turns`; 0: no words yet. */
  @Column('integer', { default: 0 })
  version: number;

  @Column('jsonb', { default: [] })
  turns: RunningTurn[];
}
