/** The frame around every page. */
export const layout = `
.skip{position:absolute;left:-999rem}
.skip:focus{left:1rem;top:.75rem;z-index:9;background:var(--panel);padding:.5rem 1rem;border-radius:8px}
.top{display:flex;gap:1rem;align-items:center;padding:.75rem max(1.25rem,calc((100% - 74rem)/2 + 1.25rem));background:var(--panel)}
.brand{font-weight:680;letter-spacing:-.015em;color:var(--ink);text-decoration:none;white-space:nowrap}
.brand small{letter-spacing:0}
.find{flex:1;max-width:34rem;margin:0 auto}.find form{display:flex;gap:.5rem}
.find input{flex:1;min-width:0}
.who{display:flex;align-items:center;gap:.5rem;max-width:16rem;font-size:var(--t1)}
.who>span{display:flex;gap:.35em;min-width:0;white-space:nowrap}.who .name{overflow:hidden;text-overflow:ellipsis}
.sections{background:var(--panel);border-bottom:1px solid var(--line);padding:0 max(1.25rem,calc((100% - 74rem)/2 + 1.25rem));overflow-x:auto}
.sections ul{display:flex;gap:1.5rem;list-style:none;padding:0}
.sections a{display:block;padding:.5rem 0 .625rem;color:var(--dim);text-decoration:none;white-space:nowrap;border-bottom:2px solid transparent}
.sections a:hover{color:var(--ink)}
.sections a[aria-current]{color:var(--ink);font-weight:550;border-color:var(--accent)}
main{max-width:74rem;margin:0 auto;padding:1.75rem 1.25rem 5rem;display:grid;gap:1.25rem;grid-template-columns:minmax(0,1fr)}
.bare main{max-width:26rem;padding-top:12vh}
.bare .brand{font-size:var(--t3)}
.bare form,.bare section{background:var(--panel);border:1px solid var(--line);border-radius:12px;padding:1.5rem}
.head{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:baseline;justify-content:space-between}
.head>.acts{margin-left:auto}
.head h1 small{display:inline-block}
.head>h1+.tag{margin-right:auto}
.crumbs{font-size:var(--t1);color:var(--dim);flex-basis:100%}
.acts{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
.tabs{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;padding:0;border-bottom:1px solid var(--line)}
.tabs a{display:block;padding:.375rem 0;color:var(--dim);text-decoration:none;border-bottom:2px solid transparent;margin-bottom:-1px}
.tabs a[aria-current]{color:var(--ink);border-color:var(--accent);font-weight:550}
.cols{display:grid;gap:1.25rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr))}
.ragged{align-items:start}
.cards{display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,19rem),1fr))}
.narrow{max-width:46rem}
@media (min-width:44.01rem){.even{table-layout:fixed}.even th:first-child{width:36%}}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
`;
