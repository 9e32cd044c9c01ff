import { h } from './dom.js';
import { mark } from './icons.js';

interface Choices {
  keep: () => void;
  use: () => void;
}

/** Asks whether the token of a link may replace the session of this tab. */
export const switchSession = ({ keep, use }: Choices): HTMLElement =>
  h(
    'section',
    {
      class: 'sign-in card',
      role: 'alertdialog',
      'aria-labelledby': 'switch-title',
      'aria-describedby': 'switch-text',
    },
    h('div', { class: 'brand' }, mark(), h('span', null, 'Trunkline')),
    h('h1', { id: 'switch-title' }, 'Change the session?'),
    h(
      'p',
      { id: 'switch-text' },
      'The link you opened has a token of its own, perhaps of another account. You are already signed in here. ',
      'Continue with the token of the link only if you know where the link comes from: what you enter then goes to its account.',
    ),
    h(
      'div',
      { class: 'actions' },
      h(
        'button',
        { type: 'button', class: 'primary', 'data-act': 'keep', autofocus: true, onclick: keep },
        'Stay signed in',
      ),
      h('button', { type: 'button', 'data-act': 'use', onclick: use }, 'Use the token of the link'),
    ),
  );
