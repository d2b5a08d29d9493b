/**
 * The document with what stands between `<!-- figures: NAME -->` and `<!-- end -->` replaced by the text of that name.
 *
 * @throws Error naming a mark that nothing is known for
 */
export function fillMarks(document: string, texts: Readonly<Record<string, string>>): string {
  return document.replaceAll(/(<!-- figures: ([^>]+?) -->\n)[\s\S]*?(<!-- end -->)/g, (_, begin, name, end) => {
    const text = texts[name]
    if (text === undefined)
      throw new Error(`no figures are named "${name}"; there are ${Object.keys(texts).join(', ')}`)
    return `${begin}\n${text}\n\n${end}`
  })
}
