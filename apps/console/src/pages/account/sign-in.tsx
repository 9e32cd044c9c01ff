import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, ask, session } from '../../api/client.js';
import { me, signInOptions, startSignIn } from '../../api/me.js';
import { apiPath } from '../../api/path.js';
import { Field, Form, textOf } from '../../components/forms.js';
import { Mark } from '../../components/icons.js';
import { CommandLine, Trouble, useTitle } from '../../components/parts.js';
import { replaceAddress } from '../../components/router.js';

const Brand = (): VNode => (
  <div class="brand">
    <Mark />
    <span>Trunkline</span>
  </div>
);

/** A sign-in that someone asked for. */
export interface WantedSignIn {
  /** Empty: the organisation of the installation. */
  organisation: string;
  /** Page of the console to return to. */
  place: string;
}

interface SignInParts {
  /** Why the user must sign in again. */
  reason: string | undefined;
  onDone: () => void;
  /** The browser has a session, perhaps since this page was opened: another tab signed in. */
  onSignedIn: (wanted: WantedSignIn) => void;
}

export function SignIn({ reason, onDone, onSignedIn }: SignInParts): VNode {
  useTitle('Sign in');
  const send = async (values: FormData): Promise<void> => {
    await check(textOf(values, 'token'));
    onDone();
  };
  return (
    <section class="sign-in card">
      <Brand />
      <h1>Sign in</h1>
      <Trouble error={reason === undefined ? undefined : new Error(reason)} />
      <WithOrganisation onSignedIn={onSignedIn} />
      <p class="muted">Use an API token. It is stored in this tab only and removed when you close it.</p>
      <Form label="Sign in" submit="Sign in" busy="Signing in…" send={send}>
        <Field name="token" label="Token">
          <input type="password" autocomplete="off" spellcheck={false} required />
        </Field>
      </Form>
      <details>
        <summary>How do I get a token?</summary>
        <p class="muted">npm start prints a token, and a link that signs you in. On your own server, issue one:</p>
        <CommandLine text="bin/trunkline tokens issue --account NAME" />
      </details>
    </section>
  );
}

/** Sentences for the reasons that the service returns in the address. */
const PROBLEMS: Readonly<Record<string, string>> = {
  address: 'Sign-in with an organisation needs https. The operator must set PUBLIC_URL.',
  busy: 'Too many people are signing in. Try again in a few minutes.',
  denied: 'The sign-in was cancelled, or your organisation did not allow it.',
  domain: 'Your email domain is not allowed to sign in here.',
  expired: 'The sign-in expired or was already used. Try again.',
  no_role: 'None of your groups has a role in this account. Ask an owner of the account for access.',
  refused: 'The response of your identity provider was not accepted. Try again, or contact your operator.',
  several: 'You have access to several accounts. Enter the organisation you want to sign in to.',
  unavailable: 'Your identity provider is not responding. Try again in a few minutes, or use a token.',
  unknown: 'No organisation has this name.',
};

const sentenceOf = (problem: string): string | undefined => PROBLEMS[problem] ?? PROBLEMS['refused'];

/** Why a sign-in at an organisation failed (`#sign-in=denied`). It is removed from the address. */
export function problemOfAddress(): string | undefined {
  const code = /^#sign-in=(\w+)$/.exec(location.hash)?.[1];
  if (code === undefined) return undefined;
  replaceAddress(location.pathname + location.search);
  return sentenceOf(code);
}

/** Takes a link to a sign-in (`#start-sign-in?organisation=acme`) from the address. `place`: the fragment that replaces it. */
export function takeWantedSignIn(place = '#/overview'): WantedSignIn | undefined {
  const query = /^#start-sign-in\?(.*)$/.exec(location.hash)?.[1];
  if (query === undefined) return undefined;
  replaceAddress(`${location.pathname}${location.search}${place}`);
  const wanted = new URLSearchParams(query);
  return { organisation: wanted.get('organisation') ?? '', place: wanted.get('place') ?? '' };
}

/** Leaves the page for the issuer. @returns whether the browser has a session, so that the person must agree. Throws the other problems. */
async function leaveFor({ organisation, place }: WantedSignIn, replacesSession = false): Promise<boolean> {
  const started = await startSignIn({
    ...(organisation !== '' && { organisation }),
    ...(place !== '' && { place }),
    ...(replacesSession && { replace_session: true }),
  });
  if ('url' in started) {
    // A token of this tab would come before the session.
    session.end();
    location.assign(started.url);
    return false;
  }
  if (started.problem === 'signed_in') return true;
  throw new Error(sentenceOf(started.problem));
}

/** The organisation of the installation as a button, and a field for the others. */
function WithOrganisation({ onSignedIn }: Pick<SignInParts, 'onSignedIn'>): VNode {
  const name = useSignal<string | null>(null);
  const trouble = useSignal<unknown>(undefined);
  useEffect(() => {
    void signInOptions().then((options) => (name.value = options?.name ?? null));
  }, []);
  const leave = async (organisation: string): Promise<void> => {
    const wanted = { organisation, place: location.hash.slice(1).split('?')[0] ?? '' };
    if (await leaveFor(wanted)) onSignedIn(wanted);
  };
  const withInstallation = (): void => {
    trouble.value = undefined;
    leave('').catch((error: unknown) => (trouble.value = error));
  };
  const send = async (values: FormData): Promise<void> => {
    const organisation = textOf(values, 'organisation').trim().toLowerCase();
    if (organisation !== '') await leave(organisation);
  };
  return (
    <>
      {name.value !== null && (
        <div class="actions">
          <button type="button" class="primary" data-act="organisation" onClick={withInstallation}>
            Sign in with {name.value}
          </button>
        </div>
      )}
      <Trouble error={trouble.value} />
      <details>
        <summary>{name.value === null ? 'Sign in with your organisation' : 'Another organisation'}</summary>
        <Form label="Sign in with your organisation" submit="Continue" busy="Continuing…" send={send}>
          <Field name="organisation" label="Organisation name">
            <input autocomplete="organization" autocapitalize="none" spellcheck={false} required />
          </Field>
        </Form>
      </details>
    </>
  );
}

/** Throws the error of the API for the token. */
async function check(token: string): Promise<void> {
  const wrong = (sentence: string): ApiError => new ApiError(422, sentence, { token: [sentence] });
  if (!/^[\w-]+$/.test(token)) throw wrong('A token consists of letters, digits, - and _, such as tk_….');
  session.begin(token);
  try {
    await ask('GET', apiPath`session`);
  } catch (error) {
    session.end();
    throw error instanceof ApiError && error.status === 401 ? wrong('This token is not valid.') : error;
  }
}

/** Asks whether the token of a link may replace the session of this tab. */
export function SwitchSession({ keep, use }: { keep: () => void; use: () => void }): VNode {
  useTitle('Switch session?');
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <section class="sign-in card" role="alertdialog" aria-labelledby="switch-title" aria-describedby="switch-text">
      <Brand />
      <h1 id="switch-title">Switch session?</h1>
      <p id="switch-text">
        The link contains another token, perhaps of another account. You are already signed in here. Use the token of
        the link only if you trust its source: everything you enter then goes to that account.
      </p>
      <div class="actions">
        <button ref={first} type="button" class="primary" data-act="keep" onClick={keep}>
          Stay signed in
        </button>
        <button type="button" data-act="use" onClick={use}>
          Use the token of the link
        </button>
      </div>
    </section>
  );
}

interface StartSignInParts {
  wanted: WantedSignIn;
  /** Whether a session, or a token in this tab, would be replaced. */
  isSignedIn: boolean;
  stay: () => void;
  /** The browser has a session after all: another tab signed in. */
  onSignedIn: (wanted: WantedSignIn) => void;
}

/** Asks before a link signs in: anyone can make one, and what is entered afterwards goes to the account of the link. */
export function StartSignIn({ wanted, isSignedIn, stay, onSignedIn }: StartSignInParts): VNode {
  const title = isSignedIn ? 'Switch session?' : 'Sign in?';
  useTitle(title);
  const first = useRef<HTMLButtonElement>(null);
  const trouble = useSignal<unknown>(undefined);
  const ofInstallation = useSignal('the organisation of this service');
  useEffect(() => {
    first.current?.focus();
    void signInOptions().then((options) => (ofInstallation.value = options?.name ?? ofInstallation.value));
  }, []);
  const name = wanted.organisation || ofInstallation.value;
  const proceed = (): void => {
    trouble.value = undefined;
    leaveFor(wanted, isSignedIn).then(
      (needsConsent) => needsConsent && onSignedIn(wanted),
      (error: unknown) => (trouble.value = error),
    );
  };
  return (
    <section class="sign-in card" role="alertdialog" aria-labelledby="start-title" aria-describedby="start-text">
      <Brand />
      <h1 id="start-title">{title}</h1>
      <div id="start-text" class="stack">
        <p>
          You opened a sign-in with <strong>{name}</strong>. {isSignedIn && <CurrentSession />}
        </p>
        <p>Continue only if you know this organisation: everything you enter then goes to its account.</p>
      </div>
      <Trouble error={trouble.value} />
      <div class="actions">
        {isSignedIn ? (
          <>
            <button ref={first} type="button" class="primary" data-act="keep" onClick={stay}>
              Stay signed in
            </button>
            <button type="button" data-act="continue" onClick={proceed}>
              Sign in with {name}
            </button>
          </>
        ) : (
          <>
            <button ref={first} type="button" class="primary" data-act="continue" onClick={proceed}>
              Sign in with {name}
            </button>
            <button type="button" data-act="keep" onClick={stay}>
              Cancel
            </button>
          </>
        )}
      </div>
    </section>
  );
}

/** Who is signed in, as far as it is known. */
function CurrentSession(): VNode {
  const { person, account } = me.value ?? {};
  const name = person?.name ?? person?.email;
  const who = name == null ? 'You are already signed in here' : `You are signed in here as ${name}`;
  return (
    <>
      {who}
      {account && (
        <>
          , in the account <strong>{account.name}</strong>
        </>
      )}
      . The sign-in replaces this session.
    </>
  );
}
