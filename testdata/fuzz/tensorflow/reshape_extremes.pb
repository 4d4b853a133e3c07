
C
xPlaceholder*
dtype0*$
shape:ÿÿÿÿÿÿÿÿÿ
B
nConst*)
value B:ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ*
dtype0

yReshapexn