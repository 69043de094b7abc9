/** A long text to read: contents, sections, a width that the eye can follow. */
import { getRouteApi } from '@tanstack/react-router';
import { type Section, sectionsOf } from '@/features/terms/sections.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/terms/$document');

export function TermsPage() {
  const { t } = useTranslation();
  const { document, text, locale } = route.useLoaderData();
  const sections = sectionsOf(text);
  const titled = sections.filter(({ title }) => title !== '');
  return (
    <div className="mx-auto grid max-w-[1040px] grid-cols-[minmax(0,1fr)] gap-x-12 pt-6 pb-10 lg:grid-cols-[220px_minmax(0,70ch)] print:block">
      <h1 tabIndex={-1} className="mb-5 text-xl font-semibold lg:col-start-2">
        {t(`terms.${document}`)}
      </h1>
      {titled.length > 1 && <Contents sections={titled} />}
      <article lang={locale === 'zh' ? 'zh-CN' : 'en'} className="max-w-[70ch] text-base lg:col-start-2">
        {sections.map(({ id, title, paragraphs }) => (
          <section key={id} aria-labelledby={title ? id : undefined} className="mb-7">
            {title && (
              <h2 id={id} className="mb-2 text-lg font-semibold print:break-after-avoid">
                {title}
              </h2>
            )}
            {paragraphs.map((one) => (
              <p key={one.id} className="mb-3 leading-[1.75] break-words whitespace-pre-line">
                {one.text}
              </p>
            ))}
          </section>
        ))}
      </article>
    </div>
  );
}

function Contents({ sections }: { sections: Section[] }) {
  const { t } = useTranslation();
  return (
    <nav
      aria-label={t('terms.contents')}
      data-print="no"
      className="mb-7 text-sm lg:sticky lg:top-20 lg:col-start-1 lg:row-start-2 lg:self-start"
    >
      <p className="mb-1 font-medium" aria-hidden="true">
        {t('terms.contents')}
      </p>
      <ul className="border-l border-line">
        {sections.map(({ id, title }) => (
          <li key={id}>
            <a
              href={`#${id}`}
              className="flex min-h-8 items-center px-3 py-1 text-muted no-underline hover:text-text max-md:min-h-11"
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
