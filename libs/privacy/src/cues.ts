// Words that announce a secret, or a number that is none. English, German, French, Spanish, Italian and Dutch.

const words = (list: string, flags = 'iu'): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${list})(?![\\p{L}\\p{N}])`, flags);

/** Numbers that customers and their suppliers use among themselves. */
export const NEUTRAL_CUE = words(
  'order|invoice|ticket|tracking|reference|ref|case|booking|reservation|customer|article|item|part|serial|version|model|parcel|shipment|claim|meter|' +
    'bestellung|bestellnummer|auftrag|auftragsnummer|rechnung|rechnungsnummer|kundennummer|vorgang|vorgangsnummer|artikelnummer|sendungsnummer|' +
    'referenznummer|buchungsnummer|aktenzeichen|vertragsnummer|zählernummer|seriennummer|' +
    'commande|facture|référence|réservation|dossier|colis|pedido|factura|referencia|reserva|envío|' +
    'ordine|fattura|riferimento|prenotazione|pratica|spedizione|' +
    'bestelling|bestelnummer|factuur|factuurnummer|klantnummer|reservering|zending|zaaknummer|zaak',
);

export const PHONE_CUE = words(
  'phone|telephone|mobile|cell|cellphone|call (?:me|us|him|her|them)(?: back)?|reach (?:me|us)|text me|fax|whatsapp|caller id|' +
    'telefon|telefonnummer|handy|handynummer|mobilnummer|rufnummer|rückruf|zurückrufen|durchwahl|erreichbar|' +
    'téléphone|portable|mobile|rappel\\p{L}*|joindre|appel\\p{L}*|teléfono|móvil|celular|llám\\p{L}*|' +
    'telefono|cellulare|chiam\\p{L}*|richiam\\p{L}*|telefoonnummer|telefoon|mobiel|terugbel\\p{L}*|bel (?:me|mij)',
);

export const ID_CUE = words(
  'social security|ssn|social|social insurance|national insurance|nino|nhs|tax (?:id|number|file)|tfn|sin|passport|identity|id (?:number|card)|national id|aadhaar|' +
    'steuer-?id|steueridentifikationsnummer|steuernummer|sozialversicherungsnummer|svnr|ahv|personalausweis\\p{L}*|ausweisnummer|reisepass|' +
    'sécurité sociale|numéro de sécu|nir|carte d.identité|passeport|dni|nie|nif|seguridad social|pasaporte|' +
    'codice fiscale|carta d.identità|passaporto|bsn|burgerservicenummer|sofinummer|paspoort|' +
    'pesel|personnummer|cpr|fødselsnummer|henkilötunnus|cpf|pps|rijksregisternummer|numéro national',
);

export const CARD_CUE = words(
  '(?:credit|debit|bank|payment)?\\s?cards?|visa|mastercard|amex|american express|maestro|kreditkarte\\p{L}*|karte|kartennummer|bankkarte|' +
    'carte(?: bancaire| bleue)?|tarjeta|carta di credito|carta|kaart|creditcard|kaartnummer',
);

export const CARD_CODE_CUE = words(
  'cvc2?|cvv2?|cv2|security code|card code|verification code|verification value|three digits on the back|' +
    'prüfziffer|prüfnummer|kartenprüfnummer|sicherheitscode|sicherheitsnummer|' +
    'cryptogramme|code de sécurité|código de seguridad|codice di sicurezza|beveiligingscode|veiligheidscode',
);

export const EXPIRY_CUE = words(
  'expir\\p{L}*|exp|valid (?:thru|through|until)|good (?:thru|through)|gültig bis|ablauf\\p{L}*|läuft ab|verfalls?datum|' +
    'valable jusqu\\p{L}*|caduc\\p{L}*|vencimiento|vence|scad\\p{L}*|vervaldatum|geldig tot|verloopt',
);

/** A code of digits follows. */
export const PIN_CUE = words(
  'pin|pin code|pincode|passcode|pass code|access code|one-?time (?:code|password)|otp|verification code|security pin|tan|' +
    'geheimzahl|geheimnummer|zugangscode|bestätigungscode|einmalcode|code pin|code secret|code de vérification|código pin|clave|' +
    'código de verificación|codice pin|codice segreto|codice di verifica|toegangscode|verificatiecode',
);

export const PASSWORD_CUE = words(
  'passwords?|pass ?phrase|secret word|code ?word|memorable word|kennwort|passwort|losungswort|mot de passe|contraseña|' +
    'parola d.ordine|parola chiave|wachtwoord|security answer|mother.s maiden name|mädchenname(?: (?:deiner|ihrer|meiner) mutter)?',
);

export const BIRTH_CUE = words(
  'date of birth|birth ?dates?|birthday|dob|born(?: on)?|geburtsdatum|geburtstag|geboren(?: am)?|date de naissance|née?(?: le)?|anniversaire|' +
    'fecha de nacimiento|nac[ií](?:do|da)?(?: el)?|cumpleaños|data di nascita|nat[oa](?: il)?|compleanno|geboortedatum|geboren op|verjaardag',
);

export const EMAIL_CUE = words(
  'e-?mail|email address|mail|mailadresse|e-mail-adresse|courriel|adresse mail|correo(?: electrónico)?|posta elettronica|e-mailadres|mailadres',
);

/** `ist`, `is`, `:`: the secret follows at once. */
export const COPULA = /^\s*(?:\p{L}+\s+){0,2}?(?:is|ist|lautet|est|es|è|=|:|,|–|-)\s*[:,"'„«]?\s*/iu;

/** What follows is a remark about a secret, and not the secret. */
export const REMARK = words(
  'wrong|correct|incorrect|right|not|no|never|required|expired|invalid|too|still|missing|lost|forgotten|needed|only|about|a|an|the|what|why|how|protected|on|in|' +
    'falsch|richtig|nicht|kein|abgelaufen|ungültig|zu|noch|weg|vergessen|' +
    'faux|fausse|incorrecte?|correcte?|pas|expiré|non|incorrecta|correcta|caducada|olvidada|sbagliata|errata|corretta|scaduta|niet|verkeerd|fout|juist|verlopen|vergeten',
);

/** Words that begin an answer which is not the asked secret. */
export const EVASION =
  /^\s*(?:i (?:don.t|do not|can.t|cannot|forgot|am not|won.t)|no\b|why|what|which|sorry|one moment|just a|hold on|wait|let me|ich (?:weiß|habe|kann)|nein|warum|welche|moment|je (?:ne|n.)|non|pourquoi|un moment|no\b|por qué|perché|nee|waarom|ik (?:weet|heb))/iu;

/** The beginning of a request for a secret in the other party's turn. */
export const REQUEST =
  /[?？]|\b(?:please|tell me|say|enter|give me|provide|need|spell|bitte|nennen|sagen|geben|eingeben|brauche|s'il vous|veuillez|donne|indique|dites|por favor|diga|indique|introduzca|necesito|per favore|dica|inserisca|graag|alstublieft|noem|geef|voer)\b/iu;

/** Characters before a number in which its cue is looked for. */
const REACH = 56;
/** Of the other party's turn. */
const REACH_BEFORE = 240;

/** Where a number stands. */
export interface Surroundings {
  text: string;
  /** What was said last before the text, by the other party. */
  before: string;
}

/** Whether a cue stands shortly before `start`, or in the question before an answer that begins with the number. */
export function isAnnounced({ text, before }: Surroundings, start: number, cue: RegExp): boolean {
  if (cue.test(text.slice(Math.max(0, start - REACH), start))) return true;
  return start <= REACH && before !== '' && cue.test(before.slice(-REACH_BEFORE));
}
