import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CallEntity } from '../call.entity.js';

/** One line of the bill of a completed call. */
@Entity('call_usage')
export class CallUsageEntity {
  @ForeignKey(() => CallEntity, { name: 'call_usage_call_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  call_id: string;

  @PrimaryColumn('integer')
  line: number;

  @Column('text')
  kind: string;

  @Column('text')
  description: string;

  @Column('numeric', { precision: 14, scale: 3 })
  quantity: string;

  @Column('text')
  unit: string;

  @Column('bigint')
  unit_price_micros: string;

  @Column('bigint')
  amount_micros: string;

  @Column('text')
  price_book: string;
}
