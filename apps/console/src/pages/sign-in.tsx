import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, ask, session } from '../api/client.js';
import { signInOptions } from '../api/me.js';
import { apiPath } from '../api/path.js';
import { Field, Form, textOf } from '../components/forms.js';
import { Mark } from '../components/icons.js';
import { CommandLine, Trouble, useTitle } from '../components/parts.js';

const Brand = (): VNode => (
  <div class="brand">
    <Mark />
    <span>Trunkline</span>
  </div>
);

/** `reason`: why the user must sign in again. */
export function SignIn({ reason, onDone }: { reason: string | undefined; onDone: () => void }): VNode {
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
      <WithOrganisation />
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
  domain: 'Your e-mail address is not of a domain that may sign in here.',
  expired: 'The sign-in took too long, or was already used. Try again.',
  no_role: 'You are known, but none of your groups has a role here. Ask an owner of the account, then try again.',
  refused: 'The answer of your organisation was not accepted. Try again; if it stays so, tell your operator.',
  several: 'You may use several accounts. Enter the name of the organisation that you want to use.',
  unavailable: 'The sign-in service of your organisation does not answer. Try again in a few minutes, or use a token.',
  unknown: 'There is no organisation with this name.',
};

/** Why a sign-in at an organisation failed (`#sign-in=denied`). It is removed from the address. */
export function problemOfAddress(): string | undefined {
  const code = /^#sign-in=(\w+)$/.exec(location.hash)?.[1];
  if (code === undefined) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return PROBLEMS[code] ?? PROBLEMS['refused'];
}

/** Leaves the page for the issuer. The current page of the console opens afterwards. */
function leaveFor(organisation: string): void {
  const url = new URL('../sign-in/start', location.href);
  if (organisation !== '') url.searchParams.set('organisation', organisation);
  const place = location.hash.slice(1).split('?')[0];
  if (place) url.searchParams.set('place', place);
  location.assign(url.href);
}

/** The organisation of the installation as a button, and a field for the others. */
function WithOrganisation(): VNode {
  const name = useSignal<string | null>(null);
  useEffect(() => {
    void signInOptions().then((options) => (name.value = options?.name ?? null));
  }, []);
  const send = (values: FormData): Promise<void> => {
    const organisation = textOf(values, 'organisation').trim().toLowerCase();
    if (organisation !== '') leaveFor(organisation);
    return Promise.resolve();
  };
  return (
    <>
      {name.value !== null && (
        <div class="actions">
          <button type="button" class="primary" data-act="organisation" onClick={() => leaveFor('')}>
            Sign in with {name.value}
          </button>
        </div>
      )}
      <details>
        <summary>{name.value === null ? 'Sign in with your organisation' : 'Another organisation'}</summary>
        <Form label="Sign in with your organisation" submit="Continue" busy="Continuing…" send={send}>
          <Field name="organisation" label="Name of the organisation">
            <input autocomplete="organization" autocapitalize="none" spellcheck={false} required />
          </Field>
        </Form>
      </details>
    </>
  );
}

/** Throws the error of the API for the token; a token that may not list calls is valid nevertheless. */
async function check(token: string): Promise<void> {
  const wrong = (sentence: string): ApiError => new ApiError(422, sentence, { token: [sentence] });
  if (!/^[\w-]+$/.test(token)) throw wrong('A token consists of letters, digits, - and _, such as tk_….');
  session.begin(token);
  try {
    await ask('GET', apiPath`calls`, { query: { per_page: 1 } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return;
    session.end();
    throw error instanceof ApiError && error.status === 401 ? wrong('The API does not know this token.') : error;
  }
}

/** Asks whether the token of a link may replace the session of this tab. */
export function SwitchSession({ keep, use }: { keep: () => void; use: () => void }): VNode {
  useTitle('Change the session?');
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <section class="sign-in card" role="alertdialog" aria-labelledby="switch-title" aria-describedby="switch-text">
      <Brand />
      <h1 id="switch-title">Change the session?</h1>
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
