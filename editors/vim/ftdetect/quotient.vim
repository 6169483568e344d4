autocmd BufNewFile,BufRead *.bir setfiletype bir
autocmd BufNewFile,BufRead *.pml,*.prom,*.promela,*.spin setfiletype promela
