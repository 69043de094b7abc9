import { documents } from '@modules/terms/facts.ts';
import { Link } from '@tanstack/react-router';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const link = 'hit text-muted no-underline hover:text-text';

/** Name and version, the terms, the operator's own line, the way to the documentation. */
export function SiteFooter() {
  const { t } = useTranslation();
  const { status } = useBoot();
  return (
    <footer
      data-shell="footer"
      className="flex flex-wrap gap-x-4 gap-y-1 border-t max-md:gap-y-6 border-line px-6 pt-3 pb-4 text-xs text-faint max-md:px-4 max-md:pb-6"
    >
      <span className="mr-auto max-md:w-full">
        {status.system_name} {status.version}
      </span>
      {status.footer_html && (
        // The operator's own markup, from an option that only root may set; scripts in it are stopped by the policy.
        // biome-ignore lint/security/noDangerouslySetInnerHtml: that is what the option is for
        <span dangerouslySetInnerHTML={{ __html: status.footer_html }} />
      )}
      {documents.map((document) => (
        <Link key={document} to="/terms/$document" params={{ document: `${document}.html` }} className={link}>
          {t(`terms.${document}`)}
        </Link>
      ))}
      {status.docs_link && (
        <a href={status.docs_link} className={link}>
          {t('shell.docs')}
        </a>
      )}
    </footer>
  );
}
