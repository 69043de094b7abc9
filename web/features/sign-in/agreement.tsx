/**
 * The terms of the site: in Chinese, whoever signs in or registers agrees to them first, by a box in the form or, when
 * it was left open, by a question.
 */
import { type ReactNode, useId, useSyncExternalStore } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { Checkbox } from '@/components/ui/checkbox.tsx';
import { createListeners } from '@/lib/listeners.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export interface Agreement {
  /** The box, for the place above the form's button; null where nobody is asked. */
  box: ReactNode;
  /** Does the work once he has agreed: at once where the box is ticked or nobody is asked, never when he declines. */
  whenAgreed: (work: () => Promise<unknown>) => Promise<void>;
}

/** Said once, it holds for every form of the document, and for the ways by third parties beside them. */
export function useAgreement(): Agreement {
  const { t } = useTranslation();
  const { locale } = useBoot();
  const ask = useConfirm();
  const id = useId();
  const agreed = useSyncExternalStore(listeners.add, isAgreed, never);
  if (locale !== 'zh') return { box: null, whenAgreed: async (work) => void (await work()) };

  const whenAgreed: Agreement['whenAgreed'] = async (work) => {
    const question = {
      title: t('agreement.title'),
      body: <WithLinks text={t('agreement.needed', { terms: TERMS, privacy: PRIVACY })} />,
      action: t('agreement.agree'),
    };
    if (!agreed && !(await ask(question))) return;
    setAgreed(true);
    await work();
  };
  const box = (
    <div className="flex items-start gap-2 text-sm">
      <Checkbox
        id={id}
        // Without JavaScript it goes with the form, and the form does not go without it.
        name="agreed"
        value="true"
        required
        checked={agreed}
        onChange={(event) => setAgreed(event.target.checked)}
        className="mt-[5px]"
      />
      <label htmlFor={id} className="py-0.5">
        <WithLinks text={t('agreement.box', { terms: TERMS, privacy: PRIVACY })} />
      </label>
    </div>
  );
  return { box, whenAgreed };
}

let given = false;
const listeners = createListeners();
const isAgreed = () => given;
const never = () => false;
function setAgreed(agreed: boolean): void {
  given = agreed;
  listeners.tell();
}

/** Where the links stand in a sentence, wherever the language puts them. */
const TERMS = '\nterms\n';
const PRIVACY = '\nprivacy\n';

function WithLinks({ text }: { text: string }) {
  return text.split('\n').map((part) => {
    if (part === 'terms') return <TermsLink key={part} document="terms-of-service" />;
    return part === 'privacy' ? <TermsLink key={part} document="privacy-policy" /> : part;
  });
}

/** Opens beside the form, which would lose what was typed. */
function TermsLink({ document }: { document: 'terms-of-service' | 'privacy-policy' }) {
  const { t } = useTranslation();
  return (
    <a href={`/terms/${document}.html`} target="_blank" rel="noopener" className="link">
      {t(`terms.${document}`)}
    </a>
  );
}
