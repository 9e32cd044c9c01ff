import { type Acting, type Actor, AuditService } from '@app/audit';
import { Encryption, isoTime, NotFound } from '@app/common';
import { Database, type EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { InvalidRecord, readFields } from '../domain/field-faults.js';
import { signIn, type SignInFields } from './sign-in-schema.js';
import type { SignInSettingsEntity } from './sign-in-settings.entity.js';
import { type SignInRow, SignInSettingsRepository } from './sign-in-settings.repository.js';

const CONTEXT = 'sign-in-client-secret';

/** `sign_in` of accounts: which issuer's people may use an account, and with which role. */
@Injectable()
export class SignInSettingsService {
  constructor(
    private readonly settings: SignInSettingsRepository,
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly encryption: Encryption,
  ) {}

  /** Throws NotFound. */
  async find(accountId: number): Promise<SignInView> {
    const found = await this.settings.find(accountId);
    if (!found) throw new NotFound('Sign-in');
    return signInView(found);
  }

  /** undefined: none. */
  async ofAccount(accountId: number, tx: EntityTransaction): Promise<SignInView | undefined> {
    const found = await this.settings.find(accountId, tx);
    return found ? signInView(found) : undefined;
  }

  /** Replaces the settings. Throws InvalidFields. */
  async replace(acting: Acting, body: object): Promise<{ view: SignInView; ignored: string[] }> {
    const { fields, ignored } = readFields(signIn, body);
    await this.database.entityTransaction((tx) => this.apply(acting, fields, tx));
    return { view: await this.find(acting.accountId), ignored };
  }

  /** Throws NotFound. */
  async remove(acting: Acting): Promise<void> {
    const isRemoved = await this.database.entityTransaction((tx) => this.apply(acting, null, tx));
    if (!isRemoved) throw new NotFound('Sign-in');
  }

  /** For API and workspace file. null removes the settings. @returns whether anything changed. Throws InvalidRecord. */
  async apply({ accountId, actor }: Acting, fields: SignInFields | null, tx: EntityTransaction): Promise<boolean> {
    const stored = await this.settings.locked(accountId, tx);
    if (fields === null) {
      if (!(await this.settings.delete(accountId, tx))) return false;
      await this.record(actor, accountId, 'sign_in.removed', {}, tx);
      return true;
    }
    const row = this.rowOf(accountId, fields, stored);
    if (row.organisation !== null && (await this.settings.isTaken(row.organisation, accountId, tx)))
      throw new InvalidRecord([
        { path: ['organisation'], code: 'taken', message: 'is already used by another account' },
      ]);
    if (stored && isSame(stored, row, fields, this.secretOf(stored.clientSecretSealed))) return false;
    await this.settings.save(row, tx);
    const { organisation, issuer, settings } = row;
    // E-mail addresses of people stay out of the audit log.
    const details = { organisation, issuer, roles: settings.roles, default_role: settings.default_role };
    await this.record(actor, accountId, 'sign_in.changed', details, tx);
    return true;
  }

  byIssuer(issuer: string): Promise<SignInRow[]> {
    return this.settings.byIssuer(issuer);
  }

  ofInstallation(): Promise<SignInRow[]> {
    return this.settings.ofInstallation();
  }

  byOrganisation(organisation: string): Promise<SignInRow | undefined> {
    return this.settings.byOrganisation(organisation);
  }

  byAccount(accountId: number): Promise<SignInRow | undefined> {
    return this.settings.byAccount(accountId);
  }

  byAccounts(accountIds: readonly number[]): Promise<SignInRow[]> {
    return this.settings.byAccounts(accountIds);
  }

  /** 1,000 at most. */
  all(): Promise<SignInRow[]> {
    return this.settings.all();
  }

  secretOf(sealed: Buffer | null): string | undefined {
    return sealed === null ? undefined : this.encryption.decrypt(sealed, CONTEXT);
  }

  private rowOf(accountId: number, fields: SignInFields, stored: SignInSettingsEntity | null): NewRow {
    const { organisation = null, issuer = null, client_secret: secret, ...settings } = fields;
    // A secret belongs to its client: another issuer must never receive it.
    const isKept =
      secret === undefined && stored?.issuer === issuer && stored.settings.client_id === settings.client_id;
    const kept = isKept ? stored.clientSecretSealed : null;
    const clientSecretSealed = secret ? this.encryption.encrypt(secret, CONTEXT) : kept;
    return { accountId, organisation, issuer, settings, clientSecretSealed };
  }

  private record(
    actor: Actor,
    accountId: number,
    action: 'sign_in.changed' | 'sign_in.removed',
    details: Record<string, unknown>,
    tx: EntityTransaction,
  ): Promise<void> {
    return this.audit.record({ accountId, actor, action, subject: { kind: 'account', id: accountId }, details }, tx);
  }
}

type NewRow = Omit<SignInSettingsEntity, 'id' | 'updatedAt'>;

/** Each encryption of a secret differs, so the secrets themselves are compared. */
function isSame(
  stored: SignInSettingsEntity,
  row: NewRow,
  { client_secret: secret }: SignInFields,
  storedSecret: string | undefined,
): boolean {
  const isSameSecret = secret
    ? secret === storedSecret
    : (row.clientSecretSealed === null) === (stored.clientSecretSealed === null);
  const plain = (one: NewRow) => JSON.parse(JSON.stringify([one.organisation, one.issuer, one.settings])) as unknown;
  return isSameSecret && isDeepStrictEqual(plain(stored), plain(row));
}

/** The settings as the API and workspace files show them. */
const signInView = ({ organisation, issuer, settings, clientSecretSealed, updatedAt }: SignInSettingsEntity) => ({
  organisation,
  issuer,
  client_id: settings.client_id ?? null,
  has_client_secret: clientSecretSealed !== null,
  scopes: settings.scopes ?? null,
  audience: settings.audience ?? null,
  api_clients: settings.api_clients ?? [],
  group_claim: settings.group_claim ?? null,
  roles: settings.roles ?? {},
  people: settings.people ?? {},
  default_role: settings.default_role ?? null,
  allowed_domains: settings.allowed_domains ?? [],
  updated_at: isoTime(updatedAt),
});

export type SignInView = ReturnType<typeof signInView>;
