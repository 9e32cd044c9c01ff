/** Words with which a listener shows attention, without taking the turn. Several in a row are an acknowledgement as well. */
const WORDS_OF: Record<string, readonly string[]> = {
  en: words(
    'uh-huh, uh huh, mhm, mm-hmm, mm hmm, mm, hmm, hm, yeah, yep, yup, yes, okay, ok, k, right, sure, i see, got it, alright, all right, aha, ah, oh, great, good, cool, exactly, true, understood, fine, absolutely, of course, makes sense, go on',
  ),
  de: words(
    'mhm, hm, hmm, ja, jaja, jo, jup, okay, ok, gut, genau, klar, richtig, stimmt, aha, ach so, achso, ah, oh, alles klar, verstehe, verstanden, schön, super, prima, natürlich, passt, in ordnung',
  ),
  fr: words(
    "mhm, hm, hmm, oui, ouais, ok, okay, d'accord, bien, très bien, bon, voilà, exactement, ah, ah bon, oh, je vois, entendu, compris, parfait, super, bien sûr, tout à fait",
  ),
  es: words(
    'mhm, hm, ajá, aja, sí, si, ok, okay, vale, bien, muy bien, claro, ya, ya veo, entiendo, entendido, de acuerdo, exacto, perfecto, ah, oh, bueno, por supuesto',
  ),
  it: words(
    'mhm, hm, sì, si, ok, okay, va bene, bene, certo, esatto, capito, capisco, ho capito, ah, oh, ecco, già, perfetto, giusto, d’accordo, d accordo',
  ),
  pt: words(
    'mhm, hm, aham, uhum, sim, ok, okay, tá, ta, tá bom, está bem, certo, claro, entendi, percebo, exato, isso, bom, beleza, ah, oh, perfeito, pois',
  ),
  nl: words(
    'mhm, hm, hmm, ja, jaja, oké, oke, ok, okay, goed, prima, precies, klopt, juist, aha, ah, oh, ik snap het, begrepen, natuurlijk, zeker',
  ),
  pl: words(
    'mhm, hm, yhm, aha, tak, no, ok, okay, okej, dobrze, dobra, jasne, rozumiem, dokładnie, racja, świetnie, ah, oh, oczywiście, no tak',
  ),
  ru: words(
    'мгм, угу, ага, да, да да, так, хорошо, окей, ок, понятно, понял, поняла, ясно, ладно, точно, верно, конечно, хм, ах, ох, отлично',
  ),
  uk: words(
    'мгм, угу, ага, так, так так, добре, окей, ок, зрозуміло, зрозумів, зрозуміла, ясно, гаразд, точно, звісно, звичайно, хм, ах, чудово',
  ),
  tr: words(
    'hı hı, hıhı, hı-hı, hmm, hm, evet, tamam, peki, olur, anladım, anlıyorum, doğru, tabii, tabi, aynen, güzel, ha, iyi, elbette',
  ),
  ar: words(
    'نعم, أيوة, ايوه, أيوه, اه, آه, أجل, حسنا, حسنًا, تمام, طيب, ماشي, أوكي, اوكي, صحيح, فهمت, أكيد, مفهوم, همم, اها',
  ),
  zh: words(
    '嗯, 嗯嗯, 嗯哼, 哦, 噢, 喔, 啊, 好, 好的, 好吧, 对, 对的, 对对, 对对对, 是, 是的, 行, 可以, 明白, 明白了, 知道了, 了解, 没错, 当然, ok, okay, 好的好的, 对啊, 是啊',
  ),
  ja: words(
    'うん, うんうん, ええ, はい, はいはい, ああ, なるほど, そう, そうですね, そうですか, そうそう, わかりました, 分かりました, 了解, 了解です, ふうん, へえ, オーケー, ok, ん, うーん, 確かに',
  ),
  ko: words(
    '네, 네네, 예, 응, 어, 음, 아, 아하, 그래, 그래요, 그렇군요, 그렇죠, 맞아요, 맞습니다, 알겠어요, 알겠습니다, 알았어요, 좋아요, 오케이, 물론이죠',
  ),
  hi: words(
    'हाँ, हां, जी, जी हाँ, जी हां, हम्म, हूँ, अच्छा, ठीक, ठीक है, सही, सही है, समझ गया, समझ गई, बिल्कुल, ओके, ok, हाँ हाँ, हां हां, haan, ji, accha, achha, theek hai',
  ),
};

/** The first word of a person on the telephone: it may meet the greeting of the agent. */
const HELLOS: readonly string[] = words(
  'hello, hi, hey, yes, hallo, guten tag, moin, ja, ja bitte, allo, allô, bonjour, oui, hola, diga, dígame, sí, bueno, pronto, ciao, sì, olá, alô, estou, sim, met, halo, słucham, tak, алло, алё, да, так, alo, efendim, buyurun, ألو, الو, مرحبا, 喂, 你好, もしもし, はい, 여보세요, 네, हेलो, हैलो, नमस्ते',
);

function words(list: string): string[] {
  return list.split(',').map(normalise);
}

/** Letters and digits alone, in lower case, so that transcribers with different spellings agree. */
export function normalise(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}

/** Decides whether words are acknowledgements only, in the languages of a conversation. */
export class Acknowledgements {
  private readonly known: Set<string>;
  private readonly longest: number;

  /** `languages` are BCP 47 tags; `own` are further words of the agent. */
  constructor(languages: readonly (string | undefined)[], own: readonly string[] = []) {
    const tags = languages.map((tag) => tag?.toLowerCase().split('-')[0]).filter((tag) => tag !== undefined);
    const spoken = tags.length > 0 ? tags : ['en'];
    // "okay" and "mhm" are heard in every language.
    const lists = [...new Set([...spoken, 'en'])].flatMap((tag) => WORDS_OF[tag] ?? []);
    this.known = new Set([...lists, ...own.map(normalise)].filter((one) => one !== ''));
    this.longest = Math.max(...[...this.known].map((one) => one.split(' ').length));
  }

  /** `withHello`: "hello" counts as well, because the agent has just begun to greet. */
  areAll(text: string, withHello = false): boolean {
    const tokens = normalise(text).split(' ').filter(Boolean);
    if (tokens.length === 0) return false;
    const isKnown = (phrase: string): boolean => this.known.has(phrase) || (withHello && HELLOS.includes(phrase));
    let at = 0;
    while (at < tokens.length) {
      const length = this.lengthAt(tokens, at, isKnown);
      if (length === 0) return isKnown(tokens.join(''));
      at += length;
    }
    return true;
  }

  private lengthAt(tokens: readonly string[], at: number, isKnown: (phrase: string) => boolean): number {
    for (let length = Math.min(this.longest, tokens.length - at); length > 0; length--)
      if (isKnown(tokens.slice(at, at + length).join(' '))) return length;
    return 0;
  }
}
