import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** A person of an OpenID Connect issuer in an account, as the audit log names them. The migration has the foreign key: this library is below that of accounts. */
@Entity('people')
@Unique('people_subject_key', ['accountId', 'issuer', 'subject'])
@Index('people_email', ['accountId', 'email'])
@Index('people_seen', ['seenAt'])
export class PersonEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('text')
  issuer: string;

  /** `sub`: never reused by the issuer. */
  @Column('text')
  subject: string;

  /** In lower case; null: the issuer does not reveal it. */
  @Column('text', { nullable: true })
  email: string | null;

  @Column('text', { nullable: true })
  name: string | null;

  /** To the hour. */
  @Column('timestamptz', { name: 'seen_at', default: () => 'now()' })
  seenAt: Date;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
