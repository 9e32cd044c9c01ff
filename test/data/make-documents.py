"""Writes test/data/documents from handbook.json with LibreOffice: see README.md.

Each document is first written as a flat OpenDocument text (OpenDocument 1.3, part 3), which LibreOffice opens and stores in the other formats.
"""
import base64
import json
import shutil
import struct
import subprocess
import tempfile
import time
import zlib
from pathlib import Path
from xml.sax.saxutils import escape

import uno
from com.sun.star.beans import NamedValue, PropertyValue
from com.sun.star.connection import NoConnectException

HERE = Path(__file__).resolve().parent
HANDBOOK = HERE / 'documents' / 'handbook'
ODD = HERE / 'documents' / 'odd'
SCRATCH = Path(tempfile.mkdtemp(prefix='trunkline-documents-'))
LANGUAGES = ['en', 'de', 'ru', 'zh']
COLUMNS = {'one': 1, 'two': 2}
FILTERS = {'pdf': 'writer_pdf_Export', 'docx': 'MS Word 2007 XML', 'doc': 'MS Word 97'}
# More of them would only make the fonts in the PDFs larger.
CHAPTERS = 2
PASSWORD = 'northlight'

NAMESPACES = ' '.join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        **{
            name: f'urn:oasis:names:tc:opendocument:xmlns:{path}:1.0'
            for name, path in {
                'office': 'office', 'style': 'style', 'text': 'text', 'table': 'table', 'draw': 'drawing',
                'fo': 'xsl-fo-compatible', 'svg': 'svg-compatible',
            }.items()
        },
        'xlink': 'http://www.w3.org/1999/xlink',
    }.items()
)


def main():
    HANDBOOK.mkdir(parents=True, exist_ok=True)
    ODD.mkdir(parents=True, exist_ok=True)
    handbook = json.loads((HERE / 'handbook.json').read_text())
    truth = {}
    with Office() as office:
        for language in LANGUAGES:
            blocks = list(blocks_of(handbook[language][:CHAPTERS]))
            for name, columns in COLUMNS.items():
                truth[f'{language}_{name}'] = blocks
                source = flat(''.join(map(xml_of, blocks)), language, columns)
                for extension in FILTERS:
                    office.store(source, HANDBOOK / f'{language}_{name}.{extension}')
        write_odd(office)
    lines = ',\n'.join(
        f' {json.dumps(name)}: [\n' + ',\n'.join('  ' + json.dumps(block, ensure_ascii=False) for block in blocks) + '\n ]'
        for name, blocks in truth.items()
    )
    (HANDBOOK / 'truth.json').write_text('{\n' + lines + '\n}\n')


def blocks_of(chapters):
    """Yields [kind, text]: `h` heading, `p` paragraph, `l` list, `t` table."""
    for number, chapter in enumerate(chapters, 1):
        yield ['h', f'{number}. {chapter["title"]}']
        for at, section in enumerate(chapter['sections'], 1):
            yield ['h', f'{number}.{at} {section["title"]}']
            yield ['p', section['text']]
            if 'list' in section:
                yield ['l', section['list']]
            if 'table' in section:
                yield ['t', section['table']]


def xml_of(block):
    kind, content = block
    if kind == 'h':
        level = 2 if content.split(' ')[0].count('.') == 1 and not content.split(' ')[0].endswith('.') else 1
        return f'<text:h text:style-name="Heading_20_{level}" text:outline-level="{level}">{escape(content)}</text:h>'
    if kind == 'l':
        items = ''.join(f'<text:list-item>{paragraph(item)}</text:list-item>' for item in content)
        return f'<text:list text:style-name="Points">{items}</text:list>'
    if kind == 't':
        rows = ''.join(
            '<table:table-row>'
            + ''.join(f'<table:table-cell table:style-name="Cell">{paragraph(cell)}</table:table-cell>' for cell in row)
            + '</table:table-row>'
            for row in content
        )
        return f'<table:table><table:table-column table:number-columns-repeated="{len(content[0])}"/>{rows}</table:table>'
    return paragraph(content)


def paragraph(text):
    return f'<text:p text:style-name="Standard">{escape(text)}</text:p>'


def flat(body, language, columns=1):
    """A flat OpenDocument text of A5 pages."""
    western = 'Hei' if language == 'zh' else 'Sans'
    # A second font of each would double the size of a PDF; the headings of the others differ by their size alone.
    weight = 'bold' if language == 'en' else 'normal'
    heading = (
        '<style:style style:name="Heading_20_{0}" style:display-name="Heading {0}" style:family="paragraph"'
        ' style:default-outline-level="{0}"><style:paragraph-properties fo:margin-top="0.3cm" fo:margin-bottom="0.1cm"'
        ' fo:keep-with-next="always"/><style:text-properties fo:font-weight="{2}" fo:font-size="{1}pt"'
        ' style:font-size-asian="{1}pt"/></style:style>'
    )
    return f'''<?xml version="1.0" encoding="UTF-8"?>
<office:document {NAMESPACES} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
<office:font-face-decls><style:font-face style:name="Sans" svg:font-family="'DejaVu Sans'"/>
<style:font-face style:name="Hei" svg:font-family="'WenQuanYi Micro Hei'"/></office:font-face-decls>
<office:styles><style:default-style style:family="paragraph"><style:text-properties style:font-name="{western}" fo:font-size="9pt"
 style:font-name-asian="Hei" style:font-size-asian="9pt" fo:language="{language}" fo:country="none"/></style:default-style>
<style:style style:name="Standard" style:family="paragraph"><style:paragraph-properties fo:margin-bottom="0.15cm"/></style:style>
{heading.format(1, 15, weight)}{heading.format(2, 11, weight)}</office:styles>
<office:automatic-styles><style:page-layout style:name="Page"><style:page-layout-properties fo:page-width="14.8cm"
 fo:page-height="21cm" fo:margin="1.6cm"><style:columns fo:column-count="{columns}" fo:column-gap="0.8cm"/>
</style:page-layout-properties></style:page-layout>
<style:style style:name="Cell" style:family="table-cell"><style:table-cell-properties fo:border="0.5pt solid #000000"/></style:style>
<text:list-style style:name="Points"><text:list-level-style-bullet text:level="1" text:bullet-char="•">
<style:list-level-properties text:space-before="0.3cm" text:min-label-width="0.4cm"/></text:list-level-style-bullet>
</text:list-style></office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="Page"/></office:master-styles>
<office:body><office:text>{body}</office:text></office:body></office:document>'''


def write_odd(office):
    notes = flat(NOTES, 'en')
    for extension in ['docx', 'doc']:
        office.store(notes, ODD / f'notes.{extension}')
    office.store(notes, ODD / 'protected.docx', EncryptionData=[('OOXPassword', PASSWORD), ('CryptoType', 'Standard')])
    office.store(notes, ODD / 'protected.doc', Password=PASSWORD)
    restricted = {'RestrictPermissions': True, 'PermissionPassword': PASSWORD, 'Changes': 0, 'Printing': 0}
    office.store(notes, ODD / 'restricted.pdf', FilterData=restricted)
    image = base64.b64encode(picture_of_a_letter()).decode()
    frame = f'<draw:image><office:binary-data>{image}</office:binary-data></draw:image>'
    page = f'<text:p><draw:frame text:anchor-type="as-char" svg:width="11cm" svg:height="15.6cm">{frame}</draw:frame></text:p>'
    office.store(flat(page, 'en'), ODD / 'scanned.pdf')


def picture_of_a_letter():
    """A PNG (RFC 2083) of 8-bit grey: bars of ragged length where a scanner sees the lines of a letter."""
    width, height, line = 440, 624, 20
    rows = bytearray()
    for y in range(height):
        ends = 60 + (y // line * 97) % 340 if 60 < y < height - 60 and y % line < 9 else 0
        rows += bytes([0]) + bytes(70 if 40 <= x < ends and (x + y // line) % 11 > 1 else 250 for x in range(width))
    header = struct.pack('>IIBBBBB', width, height, 8, 0, 0, 0, 0)
    chunks = [(b'IHDR', header), (b'IDAT', zlib.compress(bytes(rows), 9)), (b'IEND', b'')]
    parts = [struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data)) for kind, data in chunks]
    return b'\x89PNG\r\n\x1a\n' + b''.join(parts)


NOTES = '''<text:h text:style-name="Heading_20_1" text:outline-level="1">Notes for the crew</text:h>
<text:p text:style-name="Standard">The night ferry waits for the last bus<text:note text:id="n1" text:note-class="footnote">
<text:note-citation>1</text:note-citation><text:note-body><text:p>No longer than ten minutes.</text:p></text:note-body></text:note>
 from the station.</text:p>
<text:p text:style-name="Standard">The bar closes at midnight.</text:p>
<text:p text:style-name="Standard">Check the life\u00adjackets and send an e\u2011mail.</text:p>
<text:p text:style-name="Standard">The rules of the port are at <text:a xlink:type="simple"
 xlink:href="https://northlight.example/port">northlight.example</text:a> in full.</text:p>'''


class Office:
    """A LibreOffice of its own, with a profile of its own."""

    def __enter__(self):
        pipe = f'trunkline{time.time_ns()}'
        profile = (SCRATCH / 'profile').as_uri()
        accept = f'--accept=pipe,name={pipe};urp'
        self.process = subprocess.Popen(['soffice', '--headless', '--norestore', f'-env:UserInstallation={profile}', accept])
        local = uno.getComponentContext()
        resolver = local.ServiceManager.createInstanceWithContext('com.sun.star.bridge.UnoUrlResolver', local)
        for _ in range(120):
            try:
                context = resolver.resolve(f'uno:pipe,name={pipe};urp;StarOffice.ComponentContext')
                break
            except NoConnectException:
                time.sleep(0.5)
        self.desktop = context.ServiceManager.createInstanceWithContext('com.sun.star.frame.Desktop', context)
        return self

    def __exit__(self, *_):
        self.desktop.terminate()
        self.process.wait()
        shutil.rmtree(SCRATCH)

    def store(self, source, path, **options):
        file = SCRATCH / 'source.fodt'
        file.write_text(source)
        document = self.desktop.loadComponentFromURL(file.as_uri(), '_blank', 0, (prop('Hidden', True),))
        props = [prop('FilterName', FILTERS[path.suffix[1:]]), *(prop(key, value) for key, value in options.items())]
        document.storeToURL(path.as_uri(), tuple(props))
        document.close(True)


def prop(name, value):
    if isinstance(value, dict):
        value = uno.Any('[]com.sun.star.beans.PropertyValue', tuple(prop(*pair) for pair in value.items()))
    if isinstance(value, list):
        value = uno.Any('[]com.sun.star.beans.NamedValue', tuple(NamedValue(*pair) for pair in value))
    result = PropertyValue()
    result.Name, result.Value = name, value
    return result


main()
