
C
xPlaceholder*
dtype0*$
shape:ÿÿÿÿÿÿÿÿÿ

aAddxy

yNega