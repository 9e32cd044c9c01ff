const phrase = (...alternatives: string[]): RegExp => new RegExp(`^(?:${alternatives.join('|')})$`, 'iu');

/** Words before the message of an error page. */
export const REGRETS =
  /^(?:(?:oops|ooops|ups|uups|whoops|uh[ -]oh|hoppla|oh no|ojej|sorry|we're sorry|error|erreur|fehler|errore|erro|fout|błąd|fel|fejl|feil|virhe|chyba|hiba|eroare|σφάλμα|ошибка|помилка|hata|http(?: status)?|status(?: code)?|code|leider|entschuldigung|désolés?|lo sentimos|mi dispiace|spiacenti|desculpe|beklager|к сожалению|извините|عذرا|오류|죄송합니다)[\s:!.,;…()-]+|(?:エラー|申し訳ございません(?:が)?|抱歉)[、，,:：!！。\s]*)+(?=[\p{L}\p{N}])/iu;

const PAGE = '(?:web ?page|page|url|file|resource|document|content|article|product|address|site|link|item|post|topic)';

const NOT_FOUND_MESSAGES = [
  `(?:${PAGE} )?not (?:be )?found`,
  `(?:(?:the|this|that|your|our) )?(?:requested )?${PAGE}(?: .{0,70}?)? (?:(?:was|is|has) not (?:been )?found|(?:could not|couldn't|can ?not|can't) be found|(?:does not|doesn't|no longer) exists?|(?:is not|isn't|is no longer|was not) (?:available|here)|is missing|has been (?:removed|deleted))(?: .{0,30})?`,
  `(?:we|i) (?:can't|can ?not|couldn't|could not|(?:are|were) unable to) (?:seem to )?find (?:the|that|this|your|what|a) .{0,70}`,
  '(?:die |diese |ihre |deine )?(?:von ihnen )?(?:\\p{L}+e )?(?:seite|webseite|adresse|url|datei|inhalt|artikel|produkt)(?: .{0,60}?)? (?:(?:wurde |konnte |ist )?(?:leider )?nicht (?:mehr )?(?:gefunden(?: werden)?|verfügbar|vorhanden)|existiert (?:leider )?nicht(?: mehr)?|gibt es (?:leider )?nicht(?: mehr)?)',
  "(?:la |cette |votre )?(?:page|adresse|ressource)(?: .{0,60}?)? (?:est )?(?:introuvable|non trouvée|inexistante|n'existe (?:pas|plus)|n'a (?:pas|pu) (?:été|être) trouvée|n'est (?:pas|plus) disponible)",
  '(?:la |esta )?página(?: .{0,60}?)? no (?:(?:ha sido |fue )?encontrada|existe|se (?:ha |pudo |puede )?(?:encontrado|encontró|encontrar|encuentra)|está disponible)',
  'no (?:encontrad[oa]|se encontró la página|encontramos .{0,40})',
  '(?:a |esta )?página(?: .{0,60}?)? (?:não (?:foi |pôde ser |pode ser )?(?:encontrada|existe|está disponível)|inexistente)',
  '(?:la |questa )?pagina(?: .{0,60}?)? (?:non (?:è stata |è )?(?:trovata|esiste|disponibile)|inesistente)',
  '(?:deze |de )?pagina(?: .{0,60}?)? (?:(?:is |werd |kon |kan )?niet (?:worden )?gevonden(?: worden)?|bestaat niet(?: meer)?)',
  '(?:podana |ta |żądana )?strona(?: .{0,60}?)? nie (?:została )?(?:znaleziona|istnieje|odnaleziona)|nie (?:znaleziono|można znaleźć) .{0,10}stron[ay].{0,20}',
  'sidan(?: .{0,60}?)? (?:hittades inte|kunde inte hittas|finns inte(?: längre)?|saknas)|sidan kan inte hittas',
  'siden(?: .{0,60}?)? (?:(?:blev |ble |kunne |er )?ikke (?:fundet|funnet|findes|finnes)|findes ikke|finnes ikke)|(?:fant|fandt) ikke siden',
  'sivua(?: .{0,30}?)? ei (?:löytynyt|löydy|ole(?: olemassa)?)',
  '(?:požadovan[áa] |hledaná )?str[aá]nka(?: .{0,40}?)? (?:nenalezena|neexistuje|nebyla nalezena|nenájdená|sa nenašla|nebola nájdená)',
  '(?:az? )?(?:keresett )?oldal(?: .{0,30}?)? nem (?:található|létezik)',
  'pagin[aă](?: .{0,40}?)? (?:nu (?:a fost găsită|există|a putut fi găsită)|negăsită)',
  '(?:η )?σελίδα(?: .{0,40}?)? δεν (?:βρέθηκε|υπάρχει)',
  '(?:aradığınız |istenen )?sayfa(?: .{0,30}?)? (?:bulunamadı|mevcut değil)',
  '(?:(?:запрашиваемая|запрошенная|такая|эта) )?страница(?: .{0,50}?)? (?:не (?:найдена|существует)|отсутствует|удалена)',
  'сторінк[ау](?: .{0,50}?)? не (?:знайден[оа]|існує)',
  'страницата(?: .{0,40}?)? не (?:е намерена|съществува)|stranica(?: .{0,40}?)? (?:nije pronađena|ne postoji)',
  '.{0,20}الصفحة(?: .{0,40}?)? غير موجودة|لم يتم العثور على .{0,30}',
  'ה?(?:דף|עמוד)(?: .{0,30}?)? (?:לא נמצא|אינו קיים)',
  'صفحه(?: .{0,40}?)? (?:یافت|پیدا) نشد',
  '(?:पृष्ठ|पेज) नहीं मिला',
  '.{0,12}(?:页面|頁面|网页|網頁|内容|內容).{0,12}(?:不存在|未找到|找不到|找不到了|不見了|走丢了|已删除|已刪除)|(?:找不到|未找到|無法找到|无法找到).{0,8}(?:页面|頁面|网页|網頁)',
  '.{0,12}(?:ページ|url).{0,20}(?:見つかりません(?:でした)?|存在しません|ございません|ありません)',
  '.{0,12}(?:페이지|주소).{0,16}(?:찾을 수 없습니다|존재하지 않습니다|없습니다|없음)',
  'không tìm thấy trang.{0,20}|trang(?: .{0,40}?)? không (?:tồn tại|tìm thấy)',
  'ไม่พบ(?:หน้า|เพจ).{0,30}',
  'halaman(?: .{0,40}?)? tidak (?:ditemukan|ada|tersedia)',
];

const NOT_FOUND = phrase(...NOT_FOUND_MESSAGES);
const STATUS_CODE = /^4(?:04|10)[\s:.,!()–—-]*(.*?)[)!1]*$/u;
const ERROR_WORDS = /^(?:[\s:.,!()–—-]*(?:error|page|fehler|erreur|gone)){0,2}$/iu;
const FIRST_WORD = /^(?:error|page|fehler|erreur|gone)[\s:.,!()–—-]*/iu;
const LAST_WORD = /[\s:.,!()–—-]*(?:error|page|fehler|erreur|gone)$/iu;

/**
 * Whether a title or heading as a whole is that of an error page, in the common languages; "404" alone or before a message. One
 * expression for all of it would contain the messages three times, and compiling it took 130 ms in each parser process.
 */
export function isNotFoundTitle(title: string): boolean {
  if (NOT_FOUND.test(title)) return true;
  const message = STATUS_CODE.exec(title)?.[1];
  if (message === undefined) return false;
  if (ERROR_WORDS.test(message)) return true;
  return [message, message.replace(FIRST_WORD, ''), message.replace(LAST_WORD, '')].some((text) =>
    NOT_FOUND.test(text),
  );
}

/** A page about status codes. */
export const STATUS_CODE_TOPIC =
  /(?:status|response|error)[ -]?codes?\b|http[ -]?(?:status|response|error|fehler)|code (?:de statut|d'état)|código de (?:estado|error)|codice di (?:stato|errore)|код состояния|ステータスコード|状态码|狀態碼/i;

export const CHALLENGE_TITLE = phrase(
  'just a moment(?:,? please)?|one moment,? please|attention required!?(?: cloudflare)?|pardon our interruption',
  'access (?:to this (?:page|site) (?:has been|is|was) )?(?:denied|blocked|forbidden)|(?:403[ :-]*)?forbidden|you have been blocked|request (?:blocked|rejected|unsuccessful)|the request could not be satisfied',
  '(?:are you )?(?:a )?robot (?:or human|check)|are you (?:a )?(?:robot|human)|(?:bot|human|browser|security) (?:verification|checkpoint|check|challenge)|vercel security checkpoint|client challenge|captcha|ddos(?:-guard| protection.{0,30})',
  "(?:please )?(?:verify(?:ing)?|confirm|prove) (?:that )?(?:you(?:'re| are)) (?:a )?(?:human|not a robot)|checking (?:your browser|if the site connection is secure).{0,60}",
  'nur einen moment|einen moment bitte|zugriff verweigert|un instant|accès refusé|un momento|acceso denegado|accesso negato|um momento|acesso negado|even geduld(?: a\\.?u\\.?b\\.?)?|bir dakika lütfen|один момент|доступ (?:запрещ[её]н|ограничен)|请稍候|稍等片刻|正在验证.{0,10}|少々お待ちください|アクセスが拒否されました|잠시만 기다리십시오',
);

/** Sentences that only such a page contains; "verify that you are human" is part of many forms. */
export const CHALLENGE_TEXT =
  /checking (?:if the site connection is secure|your browser before accessing)|needs to review the security of your connection|enable javascript and cookies to continue|unusual traffic from your (?:computer|network)|incapsula incident id|performance (?:&|and) security by cloudflare|you don't have permission to access .{0,200} on this server|access to this page has been denied because/i;

/** Scripts that only such a page contains. */
export const CHALLENGE_MARKS = /_cf_chl_opt|captcha-delivery\.com|\/_Incapsula_Resource|px-captcha|gokuProps|sgcaptcha/;

export const LOGIN_TITLE = phrase(
  `(?:please )?(?:${[
    'log ?[io]n|sign ?[io]n|log in or sign up|(?:log|sign)-in|authentication required',
    'anmelden|anmeldung|einloggen|bitte (?:melden sie sich an|anmelden)|connexion|se connecter|connectez-vous|identification|identifiez-vous',
    'inici(?:ar|a|e) sesión|acceder|entrar|fazer login|iniciar sessão|acced[ie]|inloggen|aanmelden|zaloguj(?: się)?|logowanie|logga in|log ind|logg inn',
    'kirjaudu(?: sisään)?|přihlášení|prihlásenie|bejelentkezés|autentificare|σύνδεση|вход|войти|авторизация|увійти|giriş(?: yap)?',
    'تسجيل الدخول|התחברות|כניסה|登录|登入|登錄|ログイン|サインイン|로그인|đăng nhập|เข้าสู่ระบบ|masuk',
  ].join('|')})(?: (?:to|into|with|bei|in|zu|mit|à|a|en|op|till|no|na|su|al|alla) .{1,60})?`,
);

export const LOADING =
  /^(?:(?:now )?loading|please wait|wird geladen|laden|lädt|bitte warten|chargement|veuillez patienter|cargando|carregando|caricamento|laster|indlæser|laddar|ladataan|ładowanie|načítání|betöltés|se încarcă|φόρτωση|загрузка|завантаження|yükleniyor|جار(?:ي|ٍ)? التحميل|טוען|लोड हो रहा|加载中|載入中|正在加载|読み込み中|ロード中|로딩|로드 중|đang tải|กำลังโหลด|memuat)[^]{0,30}$/i;

export const NEEDS_JAVASCRIPT =
  /(?:enabl|activat|requir|need|without|turn on|aktivier|activ|habilit|abilit|włącz|включ|увімк|有効|启用|啟用|활성).{0,60}java ?script|java ?script.{0,80}(?:enabl|activat|requir|disabled|not supported|unavailable|to (?:run|view|use)|aktivier|deaktivier|erforderlich|benötigt|activ|désactiv|requis|habilit|necesari|abilit|disabilit|richiest|włącz|wyłącz|включ|отключ|увімк|必要|有効|無効|启用|啟用|禁用|활성)/i;
