/** `/` for guests: what this is, how a program calls it, what there is to call. */
import { QUOTA_TYPE } from '@modules/model-hub/facts.ts';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { CodeBlock } from '@/components/code-block.tsx';
import { CopyField } from '@/components/copy-field.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { baseUrl, curlSample } from '@/features/token/code-samples.ts';
import { useBoot } from '@/lib/page-context.ts';
import { offersRegistration } from '@/lib/registration.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { WelcomeData } from './load.ts';
import { PopularModels } from './popular-models.tsx';
import { SiteContent } from './site-content.tsx';

const FIRST_MODEL = 'gpt-4o';

export function Welcome({ popular, notice, content, about }: WelcomeData) {
  const { t } = useTranslation();
  const { origin } = useBoot();
  const aboutId = useId();
  // What costs by the token chats, mostly; what costs by the call paints, and by the second films.
  const chats = popular?.items.find(
    ({ quota_type, sold, video }) => quota_type === QUOTA_TYPE.tokens && sold && !video,
  );
  const model = chats?.model_name ?? FIRST_MODEL;
  const sample = { origin, model, streamed: true, key: null };
  return (
    <div className="mx-auto grid max-w-[1040px] grid-cols-[minmax(0,1fr)] gap-10 pt-8 pb-12 max-md:gap-8 max-md:pt-2">
      {notice && (
        <Notice role="status">
          <SiteContent content={notice} label={t('home.notice')} />
        </Notice>
      )}
      <div className="grid grid-cols-[minmax(0,5fr)_minmax(0,6fr)] items-start gap-x-10 gap-y-6 max-lg:grid-cols-[minmax(0,1fr)]">
        <Introduction content={content} />
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <CopyField label={t('home.address')} value={baseUrl(origin)} help={t('home.addressHelp')} />
          <CodeBlock code={curlSample(sample)} label={t('home.sample')} head={t('home.sample')} />
        </div>
      </div>
      {popular && <PopularModels popular={popular} />}
      {about && (
        <section aria-labelledby={aboutId}>
          <h2 id={aboutId} className="mb-2 text-lg font-semibold">
            {t('home.about')}
          </h2>
          <SiteContent content={about} label={t('home.about')} />
        </section>
      )}
    </div>
  );
}

/** The operator's own words, or ours; and the ways on from here. */
function Introduction({ content }: { content: string }) {
  const { t } = useTranslation();
  const { status } = useBoot();
  const opensAccounts = offersRegistration(status);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <h1 tabIndex={-1} className="text-3xl font-semibold break-words max-md:text-2xl">
        {status.system_name}
      </h1>
      {content ? (
        <SiteContent content={content} label={t('home.title')} />
      ) : (
        <div className="grid gap-2 text-lg text-muted max-md:text-base">
          <p>{t('home.what')}</p>
          <p className="text-base">{t('home.how')}</p>
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        {opensAccounts && (
          <Link to="/register" className={buttonVariants({ variant: 'primary', size: 'lg' })}>
            {t('register.title')}
          </Link>
        )}
        <Link
          to="/login"
          className={buttonVariants({ variant: opensAccounts ? 'default' : 'primary', size: 'lg' })}
        >
          {t('login.title')}
        </Link>
        <Link to="/model-hub" className={buttonVariants({ variant: 'ghost', size: 'lg' })}>
          {t('home.prices')}
        </Link>
      </div>
    </div>
  );
}
