import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An observation of a process about the installation, for `trunkline doctor`. */
@Entity('operator_notices')
export class OperatorNoticeEntity {
  @PrimaryColumn('text')
  name: string;

  @Column('timestamptz', { name: 'noticed_at', default: () => 'now()' })
  noticedAt: Date;
}
