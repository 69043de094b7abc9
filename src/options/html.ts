/** HTML that the operator writes and every visitor's browser reads. */
import sanitizeHtml from 'sanitize-html';

const TEXT = 'a abbr b br code em i img s small span strong sub sup u'.split(' ');
const BLOCKS = 'blockquote div h3 h4 h5 h6 hr li ol p pre ul'.split(' ');
const TABLES = 'table tbody td th thead tr'.split(' ');

/** What a footer is made of: text, links and pictures. Nothing that runs, asks, frames or covers the page. */
const RULES: sanitizeHtml.IOptions = {
  allowedTags: [...TEXT, ...BLOCKS, ...TABLES],
  allowedAttributes: {
    a: ['href', 'title', 'target', 'rel'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    '*': ['lang', 'dir'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https', 'data'] },
  allowProtocolRelative: false,
  transformTags: {
    // A page that opens in its own window must not steer this one.
    a: (tagName, attribs) => ({ tagName, attribs: { ...attribs, rel: 'noopener noreferrer' } }),
  },
};

/** The HTML without anything that could act in a visitor's name. */
export const safeHtml = (html: string): string => sanitizeHtml(html, RULES);
